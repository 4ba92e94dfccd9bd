import { X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { Checkbox, Field, Select, TextArea, TextInput } from "../../components/field.tsx";
import { JsonField } from "../../components/json-field.tsx";
import type { Steps } from "../../editing/json-places.ts";
import { valueAt } from "./draft-entries.ts";
import { fieldsOf, type TaskField, taskTypes } from "./task-forms.ts";

type Props = {
  readonly draft: unknown;
  /** To the task. */
  readonly steps: Steps;
  readonly onChange: (steps: Steps, value: unknown) => void;
  readonly onClose: () => void;
};

/** One task of a draft as a form. What it says is what the text says. */
export function TaskForm({ draft, steps, onChange, onClose }: Props) {
  const entry = valueAt(draft, steps);
  const type = textOf(valueAt(entry, ["type"])) || "SIMPLE";
  const name = textOf(valueAt(entry, ["taskReferenceName"]));
  return (
    <aside
      aria-label={`Task ${name}`}
      className="flex w-80 shrink-0 flex-col overflow-hidden border-l border-line bg-surface"
    >
      <header className="flex items-center gap-2 border-b border-line px-3 py-2">
        <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">{name || "Task"}</h2>
        <IconButton label="Close the task" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-3">
        <Field label="Type">
          <TextInput
            list="task-types"
            value={type}
            onChange={(event) => onChange([...steps, "type"], event.target.value)}
          />
        </Field>
        <datalist id="task-types">
          {taskTypes.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {fieldsOf(type).map((field) => (
          <OneField
            key={`${steps.join("/")} ${field.steps.join("/")}`}
            field={field}
            value={valueAt(entry, field.steps)}
            onChange={(value) => onChange([...steps, ...field.steps], value)}
          />
        ))}
      </div>
    </aside>
  );
}

type FieldProps = {
  readonly field: TaskField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
};

function OneField({ field: { label, kind, hint }, value, onChange }: FieldProps) {
  const more = hint === undefined ? {} : { hint };
  if (kind === "flag") {
    return <Checkbox label={label} isChecked={value === true} onChange={(isOn) => onChange(isOn || undefined)} />;
  }
  if (kind === "json") return <JsonPart label={label} value={value} onChange={onChange} />;
  if (kind === "long") {
    return (
      <Field label={label} {...more}>
        <TextArea rows={4} value={textOf(value)} onChange={(event) => onChange(event.target.value)} />
      </Field>
    );
  }
  if (typeof kind === "object") {
    const known = kind.options.includes(textOf(value));
    return (
      <Field label={label} {...more}>
        <Select value={textOf(value)} onChange={(event) => onChange(event.target.value || undefined)}>
          {!known && <option>{textOf(value)}</option>}
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      </Field>
    );
  }
  return (
    <Field label={label} {...more}>
      <TextInput
        value={kind === "list" && Array.isArray(value) ? value.join(", ") : textOf(value)}
        inputMode={kind === "number" ? "numeric" : "text"}
        onChange={(event) => onChange(readField(kind, event.target.value))}
      />
    </Field>
  );
}

/** What is typed in a field, as the definition has it. A number may also be an expression. */
function readField(kind: "text" | "number" | "list", typed: string): unknown {
  if (typed === "") return undefined;
  if (kind === "list") return typed.split(",").map((one) => one.trimStart());
  return kind === "number" && /^\d+$/.test(typed) ? Number(typed) : typed;
}

/** JSON of its own: the draft changes when it can be read. */
function JsonPart({ label, value, onChange }: Omit<FieldProps, "field"> & { readonly label: string }) {
  const given = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState(given);
  const isSame = sameJson(typed, given);
  return (
    <JsonField
      label={label}
      height="9rem"
      value={isSame ? typed : given}
      onChange={(text) => {
        setTyped(text);
        const read = readJson(text);
        if (read !== undefined && !sameJson(text, given)) onChange(read.value);
      }}
    />
  );
}

function readJson(text: string): { readonly value: unknown } | undefined {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Half typed.
    return undefined;
  }
}

/** Half typed text counts as the same: it must not be taken from under the writer. */
function sameJson(typed: string, given: string): boolean {
  const read = readJson(typed);
  return read === undefined || JSON.stringify(read.value) === JSON.stringify(readJson(given)?.value);
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
