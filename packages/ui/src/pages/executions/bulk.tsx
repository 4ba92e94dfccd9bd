import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import { jobsKey } from "../../api/executions.ts";
import type { BulkJob } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Checkbox, Field, TextInput } from "../../components/field.tsx";
import { formatCount } from "../../lib/format.ts";
import { type ExecutionsSearch, toQueryText } from "./search.ts";

type BulkAction = {
  readonly action: string;
  readonly label: string;
  /** What it does to each of them, in a sentence. */
  readonly effect: string;
  readonly option?: { readonly name: string; readonly label: string; readonly isOn: boolean };
  readonly hasReason?: boolean;
  readonly isDanger?: boolean;
};

const actions: readonly BulkAction[] = [
  {
    action: "retry",
    label: "Retry",
    effect: "The failed tasks of those that ended badly are tried again. Others are left as they are.",
    option: { name: "resumeSubworkflowTasks", label: "Go on inside failed sub-workflows", isOn: false },
  },
  {
    action: "restart",
    label: "Restart",
    effect: "Those that have ended start anew, from the beginning, with the same input.",
    option: { name: "useLatestDefinitions", label: "With the latest definitions", isOn: false },
  },
  { action: "pause", label: "Pause", effect: "Nothing more is scheduled in those that run; open tasks go on." },
  { action: "resume", label: "Resume", effect: "Those that are paused go on." },
  {
    action: "terminate",
    label: "Terminate",
    effect: "Those that run end now; their open tasks are cancelled.",
    option: { name: "triggerFailureWorkflow", label: "Start their failure workflows", isOn: false },
    hasReason: true,
    isDanger: true,
  },
  {
    action: "remove",
    label: "Remove",
    effect: "They are removed for good, with their tasks and logs. This cannot be undone.",
    option: { name: "archiveWorkflow", label: "Keep their summaries in search", isOn: true },
    isDanger: true,
  },
];

/** Which executions: some by id, or everything the filters match. */
export type BulkTarget =
  | { readonly ids: readonly string[] }
  | { readonly search: ExecutionsSearch; readonly count: number };

type BarProps = {
  readonly selected: readonly string[];
  readonly totalHits: number;
  readonly search: ExecutionsSearch;
  readonly onClear: () => void;
  readonly onStarted: (jobId: string) => void;
};

/** What to do with the selection, or with everything that matches. */
export function BulkBar({ selected, totalHits, search, onClear, onStarted }: BarProps) {
  const [isWhole, setWhole] = useState(false);
  const [chosen, setChosen] = useState<BulkAction>();
  const count = isWhole ? totalHits : selected.length;
  const target: BulkTarget = isWhole ? { search, count: totalHits } : { ids: selected };
  return (
    <section
      aria-label="Bulk actions"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-selected px-4 py-1.5 text-sm"
    >
      <span className="font-medium">{formatCount(count)} selected</span>
      {totalHits > selected.length && (
        <Button look="ghost" isSmall onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Only the ${formatCount(selected.length)} ticked` : `All ${formatCount(totalHits)} that match`}
        </Button>
      )}
      <span className="mx-1 h-4 w-px bg-line-strong" />
      {actions.map((action) => (
        <Button key={action.action} isSmall onClick={() => setChosen(action)}>
          {action.label}
        </Button>
      ))}
      <Button look="ghost" isSmall className="ml-auto" onClick={onClear}>
        Clear selection
      </Button>
      {chosen !== undefined && (
        <BulkDialog
          action={chosen}
          target={target}
          count={count}
          onClose={() => setChosen(undefined)}
          onStarted={(jobId) => {
            setChosen(undefined);
            onClear();
            onStarted(jobId);
          }}
        />
      )}
    </section>
  );
}

type DialogProps = {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly count: number;
  readonly onClose: () => void;
  readonly onStarted: (jobId: string) => void;
};

function BulkDialog({ action, target, count, onClose, onStarted }: DialogProps) {
  const [isOn, setOn] = useState(action.option?.isOn ?? false);
  const [reason, setReason] = useState("");
  const queryClient = useQueryClient();
  const request = jobRequest(action, target, { isOn, reason, now: Date.now() });
  const start = useMutation({
    mutationFn: () => call<BulkJob>(request),
    onSuccess: async ({ jobId }) => {
      await queryClient.invalidateQueries({ queryKey: jobsKey });
      onStarted(jobId);
    },
  });
  const noun = count === 1 ? "execution" : "executions";
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${action.label} ${formatCount(count)} ${noun}`}
      description={action.effect}
    >
      <div className="flex flex-col gap-4">
        {action.hasReason && (
          <Field label="Reason" hint="Kept with each of them">
            <TextInput value={reason} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {action.option && <Checkbox label={action.option.label} isChecked={isOn} onChange={setOn} />}
        <div>
          <p className="mb-1 text-xs text-faint">
            As a background job over this query; executions that start later are left alone
          </p>
          <CodeBlock text={(request.body as { query: string }).query} className="max-h-32 overflow-hidden" />
        </div>
        {start.error && <Problem error={start.error} />}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">
            <CopyAs request={request} />
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={action.isDanger ? "danger" : "primary"}
            disabled={start.isPending}
            onClick={() => start.mutate()}
          >
            {action.label} {formatCount(count)} {noun}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

type JobOptions = { readonly isOn: boolean; readonly reason: string; readonly now: number };

function jobRequest(action: BulkAction, target: BulkTarget, { isOn, reason, now }: JobOptions): ApiRequest {
  return {
    method: "POST",
    path: "/workflow/bulk/jobs",
    body: {
      action: action.action,
      ...toMatch(target, now),
      ...(action.option === undefined ? {} : { [action.option.name]: isOn }),
      ...(reason === "" ? {} : { reason }),
    },
  };
}

/** A job takes no flags of a search, and wants a query that says something. */
function toMatch(target: BulkTarget, now: number): { query: string; freeText?: string } {
  if ("ids" in target) return { query: `workflowId IN (${target.ids.join(", ")})` };
  const { search } = target;
  const parts = [toQueryText(search, now), search.topLevel ? 'parentWorkflowId = ""' : ""].filter(
    (part) => part !== "",
  );
  return {
    query: parts.length === 0 ? "startTime > 0" : parts.join(" AND "),
    ...(search.text === undefined ? {} : { freeText: search.text }),
  };
}
