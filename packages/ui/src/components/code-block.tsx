import { CopyButton } from "./copy-button.tsx";

/** Text to copy: a command, a payload. */
export function CodeBlock({ text, className = "" }: { readonly text: string; readonly className?: string }) {
  return (
    <div className={`group relative rounded-md border border-line bg-sunken ${className}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section aria-label="Code" tabIndex={0} className="overflow-auto p-3 pr-10" style={{ maxHeight: "inherit" }}>
        <pre className="mono text-ink">{text}</pre>
      </section>
      <CopyButton text={() => text} label="Copy" className="absolute top-1.5 right-1.5" />
    </div>
  );
}
