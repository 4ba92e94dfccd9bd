import { lazy, Suspense, useId } from "react";

// CodeMirror is a chunk of its own, loaded when something is edited.
const JsonEditor = lazy(async () => ({ default: (await import("./json-editor.tsx")).JsonEditor }));

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly height?: string;
};

/** A labelled JSON editor. */
export function JsonField({ label, value, onChange, height = "14rem" }: Props) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1 text-sm">
      <span id={id} className="font-medium">
        {label}
      </span>
      <div
        className="overflow-hidden rounded-md border border-line-strong bg-surface focus-within:outline-2 focus-within:outline-accent"
        style={{ height }}
      >
        <Suspense fallback={<pre className="mono p-2">{value}</pre>}>
          <JsonEditor labelId={id} value={value} onChange={onChange} />
        </Suspense>
      </div>
    </div>
  );
}
