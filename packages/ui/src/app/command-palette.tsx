import { useNavigate } from "@tanstack/react-router";
import { Activity, Moon, Search, Sun, Workflow } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { useDefinitionNames } from "../api/definitions.ts";
import { useFoundExecutions } from "../api/executions.ts";
import { StatusDot } from "../components/status-badge.tsx";
import { useCommands } from "./commands.ts";
import { navigation } from "./navigation.ts";
import { isDark, setPreferences } from "./preferences.ts";

type Entry = {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: ReactNode;
  readonly run: () => void;
};

type Props = { readonly isOpen: boolean; readonly onClose: () => void };

/** Everything by name: pages, what can be done on this page, definitions, executions by id or any text. */
export function CommandPalette({ isOpen, onClose }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[14vh] left-1/2 z-50 w-[92vw] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-raised shadow-pop"
        >
          <Radix.Title className="sr-only">Find a page, an action or an execution</Radix.Title>
          <Palette onClose={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const entries = useEntries(text.trim());
  const shown = Math.min(active, Math.max(0, entries.length - 1));

  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((shown + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(entries[shown]);
    }
  };
  useEffect(() => {
    document.getElementById(`palette-${shown}`)?.scrollIntoView({ block: "nearest" });
  }, [shown]);

  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Search className="size-4 shrink-0 text-faint" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type into it
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries.length > 0 ? `palette-${shown}` : undefined}
          aria-label="Find a page, an action or an execution"
          placeholder="A page, an action, an execution id, any text…"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-faint"
        />
      </div>
      <div id="palette-list" role="listbox" aria-label="Found" tabIndex={-1} className="max-h-96 overflow-y-auto p-1.5">
        {entries.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys
          <div
            key={entry.id}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === shown}
            onClick={() => run(entry)}
            onMouseMove={() => setActive(i)}
            className={`flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm [&_svg]:size-4 [&_svg]:text-soft ${i === shown ? "bg-selected" : ""}`}
          >
            {entry.icon}
            <span className="truncate">{entry.label}</span>
            {entry.hint !== undefined && <span className="mono ml-auto shrink-0 text-xs text-faint">{entry.hint}</span>}
          </div>
        ))}
        {entries.length === 0 && <p className="p-6 text-center text-sm text-soft">Nothing by that name</p>}
      </div>
    </>
  );
}

const MOST_DEFINITIONS = 5;

function useEntries(text: string): readonly Entry[] {
  const navigate = useNavigate();
  const commands = useCommands();
  const found = useFoundExecutions(text);
  const definitions = useDefinitionNames();
  return useMemo(() => {
    const goto = navigation.map(({ to, label, icon: Icon, key }) => ({
      id: to,
      label: `Go to ${label.toLowerCase()}`,
      hint: `g ${key}`,
      icon: <Icon />,
      run: () => void navigate({ to }),
    }));
    const ofPage = commands.map((command) => ({
      id: command.id,
      label: command.label,
      hint: "this page",
      icon: <Workflow />,
      run: command.run,
    }));
    const theme = {
      id: "theme",
      label: isDark() ? "Use the light theme" : "Use the dark theme",
      icon: isDark() ? <Sun /> : <Moon />,
      run: () => setPreferences({ theme: isDark() ? "light" : "dark" }),
    };
    const words = text.toLowerCase().split(/\s+/);
    const named = [...ofPage, ...goto, theme].filter(({ label }) =>
      words.every((word) => label.toLowerCase().includes(word)),
    );
    const defined = definitions
      .filter((name) => words.every((word) => name.toLowerCase().includes(word)))
      .slice(0, MOST_DEFINITIONS)
      .map((name) => ({
        id: `definition ${name}`,
        label: name,
        hint: "definition",
        icon: <Workflow />,
        run: () => void navigate({ to: "/definitions/$name", params: { name }, search: {} }),
      }));
    const executions = found.map((one) => ({
      id: one.workflowId,
      label: `${one.workflowType} ${one.correlationId ?? ""}`,
      hint: one.workflowId.slice(0, 18),
      icon: <StatusDot status={one.status} />,
      run: () => void navigate({ to: "/executions/$id", params: { id: one.workflowId } }),
    }));
    const search = {
      id: "search",
      label: `Search executions for “${text}”`,
      icon: <Activity />,
      run: () => void navigate({ to: "/executions", search: { text } }),
    };
    return text === "" ? named : [...named, ...defined, ...executions, search];
  }, [text, commands, found, definitions, navigate]);
}
