import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useMemo, useState } from "react";
import { readObject } from "../../actions/action.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import type { FullDefinition } from "../../api/definitions.ts";
import type { Execution, Task, TaskState } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Diagram } from "../../graph/diagram.tsx";
import { toProgress } from "../../graph/progress.ts";
import { firstChildren, firstMocks } from "./mocks.ts";
import { readRuns } from "./remembered.ts";

type TestedExecution = Execution & { readonly tasks: readonly Task[] };

type Props = {
  readonly definition: FullDefinition;
  /** It differs from what is saved: then it is sent along. */
  readonly isDraft: boolean;
};

/** Runs the definition on made-up results: nothing outside is called. */
export function TestTab({ definition, isDraft }: Props) {
  const [input, setInput] = useState(() => JSON.stringify(readRuns(definition.name)[0]?.input ?? {}, null, 2));
  const [mocks, setMocks] = useState(() => JSON.stringify(firstMocks(definition), null, 2));
  const [children, setChildren] = useState(() => JSON.stringify(firstChildren(definition), null, 2));
  const test = useMutation({ mutationFn: (request: ApiRequest) => call<TestedExecution>(request) });
  const request = toRequest(definition, isDraft, { input, mocks, children });
  return (
    <div className="flex min-h-0 flex-1">
      <form
        className="flex w-[34rem] max-w-[45%] shrink-0 flex-col gap-3 overflow-auto border-r border-line p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!(request instanceof Error)) test.mutate(request);
        }}
      >
        <p className="text-sm text-soft">
          Every worker, HTTP, WAIT and HUMAN task ends by the next of its mocks. Scripts, switches, loops and joins run
          as they are.{isDraft && " What is tested is what you have written and not saved."}
        </p>
        <JsonField label="Input" height="9rem" value={input} onChange={setInput} />
        <JsonField label="Mocks, by reference name" height="22rem" value={mocks} onChange={setMocks} />
        {children !== "{}" && (
          <JsonField label="Mocks of sub-workflows" height="10rem" value={children} onChange={setChildren} />
        )}
        {request instanceof Error && <p className="text-sm text-bad">{request.message}</p>}
        {test.error !== null && <Problem error={test.error} />}
        <div className="flex items-center justify-between">
          {request instanceof Error ? <span /> : <CopyAs request={request} />}
          <Button type="submit" look="primary" disabled={request instanceof Error || test.isPending}>
            <FlaskConical /> Test
          </Button>
        </div>
      </form>
      {test.data === undefined ? (
        <EmptyState icon={<FlaskConical />} title="Nothing tested yet">
          <p>The path that was taken and what came out is shown here.</p>
        </EmptyState>
      ) : (
        <Result key={test.data.workflowId} execution={test.data} />
      )}
    </div>
  );
}

function Result({ execution }: { readonly execution: TestedExecution }) {
  const entries = execution.workflowDefinition.tasks;
  const tasks = useMemo(
    () => execution.tasks.map((task): TaskState => ({ ...task, workflowId: task.workflowInstanceId })),
    [execution],
  );
  const progress = useMemo(() => toProgress(entries, tasks), [entries, tasks]);
  const open = execution.tasks.find(({ status }) => status === "SCHEDULED" || status === "IN_PROGRESS");
  return (
    <section aria-label="Result" className="flex min-w-0 flex-1 flex-col">
      <header className="flex items-center gap-3 border-b border-line px-3 py-2">
        <StatusBadge status={execution.status} />
        {open !== undefined && (
          <span className="text-sm text-soft">
            It stands at <strong>{open.referenceTaskName}</strong>:{" "}
            {open.taskType === "SUB_WORKFLOW" ? "a task of its child has no mock left" : "it has no mock left"}
          </span>
        )}
        {execution.reasonForIncompletion !== undefined && (
          <span className="truncate text-sm text-soft">{execution.reasonForIncompletion}</span>
        )}
        <Link
          to="/executions/$id"
          params={{ id: execution.workflowId }}
          search={{}}
          className="ml-auto text-sm text-accent-ink hover:underline"
        >
          Open the execution
        </Link>
      </header>
      <div className="min-h-0 flex-1">
        <Diagram
          entries={entries}
          progress={progress}
          isEnded={execution.status === "COMPLETED"}
          isOpen={never}
          onOpen={ignore}
        />
      </div>
      <div className="max-h-56 overflow-auto border-t border-line">
        <h2 className="px-3 pt-2 text-xs font-semibold text-soft">Output</h2>
        <JsonView value={execution.output} label="output" />
      </div>
    </section>
  );
}

const never = (): boolean => false;
const ignore = (): void => {};

function toRequest(
  definition: FullDefinition,
  isDraft: boolean,
  texts: { readonly input: string; readonly mocks: string; readonly children: string },
): ApiRequest | Error {
  try {
    const { name, version } = definition;
    const input = readObject(texts, "input");
    const taskRefToMockOutput = readObject(texts, "mocks");
    const subWorkflowTestRequest = readObject(texts, "children");
    const body = {
      name,
      version,
      input,
      taskRefToMockOutput,
      subWorkflowTestRequest,
      ...(isDraft ? { workflowDef: definition } : {}),
    };
    return { method: "POST", path: "/workflow/test", body };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
