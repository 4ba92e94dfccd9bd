import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { History, Play } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import type { FullDefinition } from "../../api/definitions.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { Menu, MenuItem, MenuLabel } from "../../components/menu.tsx";
import { Panel } from "../../components/panel.tsx";
import { Ago } from "../../components/time.tsx";
import { readRuns, rememberRun } from "./remembered.ts";
import { readInput, runFields, showInput } from "./run-fields.ts";
import { RunInput } from "./run-input.tsx";

/** What a start sends: its input is remembered. */
type StartRequest = ApiRequest & {
  readonly body: {
    readonly name: string;
    readonly version: number;
    readonly input: JsonObject;
    readonly correlationId?: string;
    readonly priority?: number;
  };
};

type Typed = Readonly<Record<string, string>>;

/** Starts the workflow: a form of what it asks for, filled with what it was last started with. */
export function RunTab({ definition }: { readonly definition: FullDefinition }) {
  const { name, version } = definition;
  const fields = runFields(definition);
  const [runs] = useState(() => readRuns(name));
  const show = (input: JsonObject): Typed =>
    Object.fromEntries(fields.map((field) => [field.name, showInput(field, input[field.name])]));
  const [input, setInput] = useState<JsonObject>(() => runs[0]?.input ?? definition.inputTemplate ?? {});
  const [typed, setTyped] = useState<Typed>(() => show(input));
  const [isJson, setJson] = useState(fields.length === 0);
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const [correlationId, setCorrelationId] = useState(runs[0]?.correlationId ?? "");
  const [priority, setPriority] = useState("");
  const navigate = useNavigate();

  const fill = (given: JsonObject) => {
    setInput(given);
    setTyped(show(given));
    setText(JSON.stringify(given, null, 2));
  };
  /** What the form does not ask for stays as it was given. */
  const fromForm = (): JsonObject => {
    const entries = Object.entries(input).filter(([key]) => !fields.some((field) => field.name === key));
    for (const field of fields) {
      const value = readInput(field, typed[field.name] ?? "");
      if (value !== undefined) entries.push([field.name, value]);
    }
    return Object.fromEntries(entries);
  };
  const read = (): JsonObject => (isJson ? readObject(text) : fromForm());
  const request = attempt(
    (): StartRequest => ({
      method: "POST",
      path: "/workflow",
      body: {
        name,
        version,
        input: read(),
        ...(correlationId === "" ? {} : { correlationId }),
        ...(priority === "" ? {} : { priority: Number(priority) }),
      },
    }),
  );
  const start = useMutation({
    mutationFn: (given: ApiRequest) => call<string>(given),
    onSuccess: async (id) => {
      if (!(request instanceof Error)) {
        const { input: sent } = request.body;
        rememberRun(name, { at: Date.now(), input: sent, ...(correlationId === "" ? {} : { correlationId }) });
      }
      await navigate({ to: "/executions/$id", params: { id }, search: {} });
    },
  });
  const turn = () => {
    const given = attempt(read);
    if (!(given instanceof Error)) fill(given);
    setJson(!isJson);
  };
  return (
    <div className="min-h-0 flex-1 overflow-auto bg-sunken p-5">
      <Panel
        title={`Run ${name}`}
        note={`version ${version}`}
        className="mx-auto max-w-3xl"
        actions={
          <>
            {runs.length > 0 && (
              <Menu
                trigger={
                  <Button look="ghost" isSmall>
                    <History /> Earlier inputs
                  </Button>
                }
              >
                <MenuLabel>From this browser</MenuLabel>
                {runs.map((run) => (
                  <MenuItem key={run.at} onSelect={() => fill(run.input)}>
                    <span className="mono max-w-96 truncate">{JSON.stringify(run.input)}</span>
                    <span className="ml-auto pl-3 text-xs text-faint">
                      <Ago at={run.at} />
                    </span>
                  </MenuItem>
                ))}
              </Menu>
            )}
            {fields.length > 0 && (
              <Button look="ghost" isSmall onClick={turn}>
                {isJson ? "As a form" : "As JSON"}
              </Button>
            )}
          </>
        }
      >
        <form
          className="flex flex-col gap-4 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!(request instanceof Error)) start.mutate(request);
          }}
        >
          {isJson ? (
            <JsonField label="Input" height="20rem" value={text} onChange={setText} />
          ) : (
            fields.map((field) => (
              <RunInput
                key={field.name}
                field={field}
                value={typed[field.name] ?? ""}
                onChange={(value) => setTyped({ ...typed, [field.name]: value })}
              />
            ))
          )}
          <div className="grid grid-cols-2 gap-4 border-t border-line pt-4">
            <Field label="Correlation id" hint="Your own name for it, to find it by">
              <TextInput value={correlationId} onChange={(event) => setCorrelationId(event.target.value)} />
            </Field>
            <Field label="Priority" hint="0 to 99; higher is taken first">
              <TextInput
                type="number"
                min={0}
                max={99}
                value={priority}
                onChange={(event) => setPriority(event.target.value)}
              />
            </Field>
          </div>
          {request instanceof Error && <p className="text-sm text-bad">{request.message}</p>}
          {start.error !== null && <Problem error={start.error} />}
          <div className="flex items-center justify-between">
            {request instanceof Error ? <span /> : <CopyAs request={request} />}
            <Button type="submit" look="primary" disabled={request instanceof Error || start.isPending}>
              <Play /> Run
            </Button>
          </div>
        </form>
      </Panel>
    </div>
  );
}

function readObject(text: string): JsonObject {
  const value = JSON.parse(text.trim() === "" ? "{}" : text) as Json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("Expected the input to be a JSON object");
  }
  return value as JsonObject;
}

function attempt<T>(make: () => T): T | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
