import { Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { complete, errorPosition, type Suggestion } from "./completion.ts";

type Props = {
  readonly value: string;
  readonly onChange: (query: string) => void;
  readonly types: readonly string[];
  /** What the server said about the query in force. */
  readonly error: string | undefined;
};

const MOST_SHOWN = 10;

/** The query in the server's own language, with completion, and the place the server could not read. */
export function QueryBox({ value, onChange, types, error }: Props) {
  const [draft, setDraft] = useState(value);
  const [caret, setCaret] = useState(value.length);
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useEffect(() => setDraft(value), [value]);

  const { from, suggestions } = useMemo(() => complete(draft, caret, types), [draft, caret, types]);
  const shown = isOpen ? suggestions.slice(0, MOST_SHOWN) : [];

  const take = (suggestion: Suggestion) => {
    const next = draft.slice(0, from) + suggestion.insert + draft.slice(caret);
    const at = from + suggestion.insert.length;
    setDraft(next);
    setCaret(at);
    setActive(-1);
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = shown[active] ?? (event.key === "Tab" ? shown[0] : undefined);
    if (step !== 0 && suggestions.length > 0) {
      event.preventDefault();
      setOpen(true);
      setActive((active + step + suggestions.length) % Math.min(MOST_SHOWN, suggestions.length));
    } else if (chosen !== undefined && (event.key === "Enter" || event.key === "Tab") && draft !== "") {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Enter") {
      setOpen(false);
      onChange(draft.trim());
    } else if (event.key === "Escape") {
      setOpen(false);
      setActive(-1);
    }
  };

  return (
    <div className="relative min-w-0 flex-1">
      <div
        className={`flex h-8 items-center rounded-md border bg-surface pl-2.5 focus-within:outline-2 focus-within:outline-accent ${error === undefined ? "border-line-strong" : "border-bad"}`}
      >
        <Search className="size-4 shrink-0 text-faint" />
        <input
          ref={input}
          data-search-box
          role="combobox"
          aria-label="Query"
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-activedescendant={active >= 0 && shown.length > 0 ? `${listId}-${active}` : undefined}
          aria-invalid={error !== undefined}
          spellCheck={false}
          autoComplete="off"
          placeholder="status = FAILED AND workflowType = 'order'"
          value={draft}
          onChange={(event) => {
            setDraft(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
            setActive(-1);
            setOpen(true);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
          className="mono h-full min-w-0 flex-1 bg-transparent px-2 outline-none placeholder:text-faint"
        />
        {draft !== "" && (
          <IconButton
            label="Clear the query"
            onClick={() => {
              setDraft("");
              onChange("");
            }}
          >
            <X />
          </IconButton>
        )}
      </div>
      {shown.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label="Suggestions"
          tabIndex={-1}
          className="absolute top-9 left-0 z-30 w-80 rounded-lg border border-line bg-raised p-1 shadow-pop"
        >
          {shown.map((suggestion, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys
            <div
              key={suggestion.label}
              id={`${listId}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              // Before the box loses focus and closes the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(suggestion)}
              className={`flex h-7 cursor-pointer items-center rounded px-2 text-sm ${i === active ? "bg-selected" : "hover:bg-hover"}`}
            >
              <span className="mono">{suggestion.label}</span>
              <span className="ml-auto text-xs text-faint">{suggestion.hint}</span>
            </div>
          ))}
        </div>
      )}
      {error !== undefined && <QueryError query={value} message={error} />}
    </div>
  );
}

function QueryError({ query, message }: { readonly query: string; readonly message: string }) {
  const at = errorPosition(message);
  const problem = message.replace(/^.*at character \d+: /s, "");
  return (
    <div role="alert" className="mt-1.5 rounded-md border border-bad/40 bg-bad-soft px-3 py-1.5 text-sm text-bad">
      {at !== undefined && at <= query.length && (
        <pre className="mono overflow-x-auto text-ink" data-error-at={at}>
          {query.slice(0, at)}
          <mark className="rounded-sm bg-bad px-0.5 text-white dark:text-sunken">{query[at] ?? "␣"}</mark>
          {query.slice(at + 1)}
        </pre>
      )}
      {at === undefined ? message : `Character ${at + 1}: ${problem}`}
    </div>
  );
}
