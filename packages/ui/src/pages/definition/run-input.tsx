import { Checkbox, Field, Select, TextInput } from "../../components/field.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { type RunField, readInput } from "./run-fields.ts";

type Props = { readonly field: RunField; readonly value: string; readonly onChange: (value: string) => void };

/** One input of a workflow. */
export function RunInput({ field, value, onChange }: Props) {
  const { name, kind, isRequired } = field;
  const label = isRequired ? `${name} (required)` : name;
  if (kind === "flag") {
    return <Checkbox label={label} isChecked={value === "true"} onChange={(isOn) => onChange(String(isOn))} />;
  }
  if (kind === "json") return <JsonField label={label} height="8rem" value={value} onChange={onChange} />;
  const hint = field.hint ?? kindHint(field, value);
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {typeof kind === "object" ? (
        <Select value={value} required={isRequired} onChange={(event) => onChange(event.target.value)}>
          <option value="">–</option>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      ) : (
        <TextInput
          value={value}
          required={isRequired}
          inputMode={kind === "number" ? "decimal" : "text"}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Nothing says what it is: then it is said how it will be sent. */
function kindHint(field: RunField, value: string): string | undefined {
  if (field.kind !== "any" || value === "") return undefined;
  const read = readInput(field, value);
  if (typeof read === "string") return value === read ? undefined : "Sent as text";
  return `Sent as ${read === null ? "null" : Array.isArray(read) ? "a list" : `a ${typeof read}`}; quotes make it text`;
}
