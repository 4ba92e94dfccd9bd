import { useMutation } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../api/client.ts";
import { Button } from "../components/button.tsx";
import { CopyAs } from "../components/copy-as.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Problem } from "../components/error-boundary.tsx";
import { Checkbox, Field, Select, TextInput } from "../components/field.tsx";
import { JsonField } from "../components/json-field.tsx";
import { showToast } from "../components/toasts.tsx";
import type { Action, ActionField, Values } from "./action.ts";

type Props<S> = {
  readonly action: Action<S>;
  readonly subject: S;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** Shows what an action will do, asks for what it needs, does it. */
export function ActionDialog<S>({ action, subject, onClose, onDone }: Props<S>) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(action.fields.map(({ name, initial }) => [name, initial(subject)])),
  );
  const request = readRequest(action, subject, values);
  const perform = useMutation({
    mutationFn: (given: ApiRequest) => call(given),
    onSuccess: () => {
      showToast("good", action.done);
      onDone();
      onClose();
    },
  });
  const hasJson = action.fields.some(({ kind }) => kind === "json");
  return (
    <Dialog isOpen onClose={onClose} title={action.label} isWide={hasJson}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!(request instanceof Error)) perform.mutate(request);
        }}
      >
        <ul className="flex flex-col gap-1 text-sm text-soft">
          {action.preview(subject).map((line) => (
            <li key={line} className="flex gap-1.5">
              <ChevronRight className="mt-0.5 size-3.5 shrink-0 text-faint" /> {line}
            </li>
          ))}
        </ul>
        {action.fields.map((field) => (
          <OneField
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        {request instanceof Error && <p className="text-sm text-bad">{request.message}</p>}
        {perform.error && <Problem error={perform.error} />}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">{!(request instanceof Error) && <CopyAs request={request} />}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look={action.isDanger ? "danger" : "primary"}
            disabled={request instanceof Error || perform.isPending}
          >
            {action.label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function readRequest<S>(action: Action<S>, subject: S, values: Values): ApiRequest | Error {
  try {
    return action.toRequest(subject, values);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

type FieldProps<S> = {
  readonly field: ActionField<S>;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function OneField<S>({ field: { kind, label, hint }, value, onChange }: FieldProps<S>) {
  if (kind === "flag") {
    return <Checkbox label={label} isChecked={value === "true"} onChange={(isOn) => onChange(String(isOn))} />;
  }
  if (kind === "json") return <JsonField label={label} value={value} onChange={onChange} />;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {kind === "text" ? (
        <TextInput value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Select value={value} onChange={(event) => onChange(event.target.value)}>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
