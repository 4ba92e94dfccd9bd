import { lazy, Suspense, useMemo } from "react";
import type { Execution } from "../../api/types.ts";
import { Skeleton } from "../../components/skeleton.tsx";

const JsonEditor = lazy(async () => ({ default: (await import("../../components/json-editor.tsx")).JsonEditor }));

/** The execution as the interface gives it, without its tasks. */
export function JsonTab({ execution }: { readonly execution: Execution }) {
  const text = useMemo(() => JSON.stringify(execution, null, 2), [execution]);
  return (
    <div className="min-h-0 flex-1">
      <Suspense fallback={<Skeleton />}>
        <JsonEditor label="The execution as JSON" value={text} />
      </Suspense>
    </div>
  );
}
