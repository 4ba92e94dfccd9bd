import { Checkbox, Field, Select, TextArea, TextInput } from "../../components/field.tsx";
import type { AnswerField as Asked } from "./answer-fields.ts";

type Props = { readonly field: Asked; readonly value: string; readonly onChange: (value: string) => void };

/** One field of an answer. */
export function AnswerField({ field: { label, hint, kind, choices }, value, onChange }: Props) {
  if (kind === "flag") {
    return (
      <Checkbox label={label} isChecked={value === "true"} onChange={(isChecked) => onChange(String(isChecked))} />
    );
  }
  return (
    <Field label={label} {...(hint === "" ? {} : { hint })}>
      {kind === "choice" ? (
        <Select value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="" />
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      ) : kind === "number" ? (
        <TextInput type="number" value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <TextArea rows={2} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
