import { ChevronRight, Download } from "lucide-react";
import { useMemo, useState } from "react";
import type { Json } from "../api/types.ts";
import { formatCount, formatSize } from "../lib/format.ts";
import { Button, IconButton } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

type Props = { readonly value: Json | undefined; readonly label: string; readonly fileName?: string };

const MOST_RAW = 256_000;

/** A payload as a tree or as text. Only what is unfolded exists; a big text is shown on demand. */
export function JsonView({ value, label, fileName = "payload.json" }: Props) {
  const [isRaw, setRaw] = useState(false);
  const isEmpty =
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  if (isEmpty) return <p className="px-3 py-2 text-sm text-faint">Empty</p>;
  return (
    <div className="relative">
      <div className="absolute top-1 right-1 z-10 flex items-center rounded-md bg-surface/90">
        <Button look="ghost" isSmall aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? "Tree" : "Raw"}
        </Button>
        <CopyButton label={`Copy ${label}`} text={() => JSON.stringify(value, null, 2)} />
        <IconButton label={`Download ${label}`} onClick={() => download(value, fileName)}>
          <Download />
        </IconButton>
      </div>
      {isRaw ? <Raw value={value} label={label} /> : <Tree value={value} label={label} />}
    </div>
  );
}

function Raw({ value, label }: { readonly value: Json; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const isCut = !isWhole && text.length > MOST_RAW;
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        aria-label={label}
        className="overflow-auto p-3 pt-8"
      >
        <pre className="mono">{isCut ? text.slice(0, MOST_RAW) : text}</pre>
      </section>
      {isCut && (
        <Button isSmall className="m-3" onClick={() => setWhole(true)}>
          Show all {formatSize(text.length)}
        </Button>
      )}
    </>
  );
}

function Tree({ value, label }: { readonly value: Json; readonly label: string }) {
  if (typeof value !== "object" || value === null) {
    return (
      <div className="mono p-3">
        <Leaf value={value} />
      </div>
    );
  }
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      aria-label={label}
      className="mono overflow-auto p-2 pr-36 leading-relaxed"
    >
      <Entries value={value} depth={0} />
    </section>
  );
}

const PAGE = 100;
const OPEN_DEPTH = 2;
const OPEN_ENTRIES = 30;

function Entries({ value, depth }: { readonly value: object; readonly depth: number }) {
  const [count, setCount] = useState(PAGE);
  const keys = Object.keys(value);
  return (
    <ul className={depth === 0 ? "" : "ml-3 border-l border-line pl-2"}>
      {keys.slice(0, count).map((key) => (
        <Entry key={key} name={key} value={(value as Record<string, Json>)[key] ?? null} depth={depth} />
      ))}
      {keys.length > count && (
        <li>
          <Button look="ghost" isSmall onClick={() => setCount(count + PAGE * 5)}>
            {formatCount(keys.length - count)} more
          </Button>
        </li>
      )}
    </ul>
  );
}

function Entry({ name, value, depth }: { readonly name: string; readonly value: Json; readonly depth: number }) {
  const isBranch = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  const [isOpen, setOpen] = useState(isBranch && depth < OPEN_DEPTH && Object.keys(value).length <= OPEN_ENTRIES);
  if (!isBranch) {
    return (
      <li className="flex gap-1.5 pl-4">
        <span className="shrink-0 text-accent-ink">{name}:</span>
        <Leaf value={value} />
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex items-center gap-0.5 rounded hover:bg-hover"
      >
        <ChevronRight className={`size-3.5 text-faint transition-transform ${isOpen ? "rotate-90" : ""}`} />
        <span className="text-accent-ink">{name}</span>
        <span className="ml-1.5 text-faint">{sizeOf(value)}</span>
      </button>
      {isOpen && <Entries value={value} depth={depth + 1} />}
    </li>
  );
}

const sizeOf = (value: object): string =>
  Array.isArray(value) ? `[${formatCount(value.length)}]` : `{${formatCount(Object.keys(value).length)}}`;

const MOST_TEXT = 400;

function Leaf({ value }: { readonly value: Json }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value === "string") {
    const isCut = !isWhole && value.length > MOST_TEXT;
    return (
      <span className="min-w-0 break-words whitespace-pre-wrap text-good">
        "{isCut ? `${value.slice(0, MOST_TEXT)}…` : value}"
        {isCut && (
          <Button look="ghost" isSmall className="ml-1" onClick={() => setWhole(true)}>
            all {formatCount(value.length)} characters
          </Button>
        )}
      </span>
    );
  }
  if (typeof value === "number") return <span className="text-running">{String(value)}</span>;
  if (typeof value === "object" && value !== null) {
    return <span className="text-faint">{Array.isArray(value) ? "[]" : "{}"}</span>;
  }
  return <span className="text-stopped">{String(value)}</span>;
}

function download(value: Json, fileName: string): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
