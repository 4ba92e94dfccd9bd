import { CopyButton } from "./copy-button.tsx";

/** An id, whole, with a way to copy it. */
export function IdText({ id, label = "Copy id" }: { readonly id: string; readonly label?: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <span className="mono truncate text-soft" title={id}>
        {id}
      </span>
      <CopyButton text={() => id} label={label} className="!size-5 [&_svg]:!size-3" />
    </span>
  );
}
