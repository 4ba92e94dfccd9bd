import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { useProviders } from "../../api/agents.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Field, TextArea, TextInput } from "../../components/field.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { Panel } from "../../components/panel.tsx";

type Props = { readonly name: string; readonly version: number; readonly model: string };

/** Runs the agent: what it is to do, and for whom. */
export function RunTab({ name, version, model }: Props) {
  const [prompt, setPrompt] = useState("");
  const [sessionId, setSessionId] = useState("");
  const [otherModel, setOtherModel] = useState("");
  const [timeoutSeconds, setTimeoutSeconds] = useState("");
  const [context, setContext] = useState("{}");
  const navigate = useNavigate();
  const parsed = readObject(context);
  const isEmpty = prompt.trim() === "" && Object.keys(parsed ?? {}).length === 0;
  const request: ApiRequest = {
    method: "POST",
    path: "/agent/start",
    body: {
      name,
      version,
      prompt,
      ...(sessionId === "" ? {} : { sessionId }),
      ...(otherModel === "" ? {} : { model: otherModel }),
      ...(timeoutSeconds === "" ? {} : { timeoutSeconds: Number(timeoutSeconds) }),
      ...(Object.keys(parsed ?? {}).length === 0 ? {} : { context: parsed }),
    },
  };
  const start = useMutation({
    mutationFn: (given: ApiRequest) => call<{ readonly executionId: string }>(given),
    onSuccess: ({ executionId }) => navigate({ to: "/agents/runs/$id", params: { id: executionId } }),
  });
  return (
    <div className="min-h-0 flex-1 overflow-auto bg-sunken p-5">
      <Panel title={`Run ${name}`} note={`version ${version}`} className="mx-auto max-w-3xl">
        <form
          className="flex flex-col gap-4 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            start.mutate(request);
          }}
        >
          <MissingKey model={otherModel || model} />
          <Field label="Prompt" hint="What it is to do">
            <TextArea rows={5} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
          </Field>
          <div className="grid grid-cols-3 gap-4">
            <Field label="Session id" hint="Yours; runs are found by it">
              <TextInput value={sessionId} onChange={(event) => setSessionId(event.target.value)} />
            </Field>
            <Field label="Model" hint="For this run only">
              <TextInput
                placeholder={model}
                value={otherModel}
                onChange={(event) => setOtherModel(event.target.value)}
              />
            </Field>
            <Field label="Time limit, seconds" hint="The agent's own when left out">
              <TextInput
                type="number"
                min={1}
                value={timeoutSeconds}
                onChange={(event) => setTimeoutSeconds(event.target.value)}
              />
            </Field>
          </div>
          <JsonField label="Context" height="7rem" value={context} onChange={setContext} />
          {parsed === undefined && <p className="text-sm text-bad">Expected the context to be a JSON object</p>}
          {start.error !== null && <Problem error={start.error} />}
          <div className="flex items-center gap-2">
            <span className="mr-auto">
              <CopyAs request={request} />
            </span>
            <Button type="submit" look="primary" disabled={isEmpty || parsed === undefined || start.isPending}>
              <Play /> Run
            </Button>
          </div>
        </form>
      </Panel>
    </div>
  );
}

/** Says so before the run fails for it. */
function MissingKey({ model }: { readonly model: string }) {
  const { data } = useProviders();
  const provider = model.split("/")[0] ?? "";
  const known = data?.providers.find(({ name }) => name === provider);
  if (known === undefined || known.configured) return null;
  return (
    <p className="rounded-md bg-held-soft px-3 py-2 text-sm text-held">
      This server has no key for {provider}: start it with <span className="mono">service.ai.{provider}.api-key</span>.
    </p>
  );
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Half typed.
    return undefined;
  }
}
