import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, MessageCircleQuestionMark, Send, X } from "lucide-react";
import { useState } from "react";
import type { AgentEvent, PendingTool } from "../../api/agent-feed.ts";
import { type ApiRequest, call, path } from "../../api/client.ts";
import { useTask } from "../../api/tasks.ts";
import type { JsonObject, Task } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isTaskOpen } from "../../lib/status.ts";
import { AnswerField } from "./answer-field.tsx";
import { answerFields, isAnswered, toAnswer } from "./answer-fields.ts";
import { Card } from "./card.tsx";

type Props = { readonly event: AgentEvent; readonly later: number; readonly isRunOpen: boolean };

/** A question to a person: answered here, or what was answered. */
export function QuestionCard({ event, later, isRunOpen }: Props) {
  const { taskId = "", pendingTool = {}, timestamp } = event;
  const { data: task } = useTask(taskId, `${later} ${isRunOpen}`);
  const isOpen = task !== undefined && isTaskOpen(task.status) && isRunOpen;
  const isApproval = pendingTool.toolCalls !== undefined;
  return (
    <Card
      icon={MessageCircleQuestionMark}
      tone={isOpen ? "held" : "quiet"}
      title={isApproval ? "Approval" : task?.taskType === "PULL_WORKFLOW_MESSAGES" ? "A message" : "A question"}
      note={isOpen ? "waits for you" : undefined}
      at={timestamp}
    >
      <div className="flex flex-col gap-3 px-3 pb-3">
        <Asked pending={pendingTool} />
        {task === undefined ? (
          <Skeleton rows={2} />
        ) : isOpen ? (
          <Answer event={event} pending={pendingTool} task={task} />
        ) : (
          <Answered task={task} />
        )}
      </div>
    </Card>
  );
}

/** The calls that wait for approval, or the question's own words. */
function Asked({ pending: { toolCalls = [], input } }: { readonly pending: PendingTool }) {
  return (
    <>
      {toolCalls.map(({ name, args }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as they were asked, never reordered
        <div key={i} className="rounded-md border border-line">
          <h3 className="mono border-b border-line px-3 py-1.5 text-sm font-semibold">{name}</h3>
          <JsonView value={args} label={`arguments of ${name ?? "the tool"}`} />
        </div>
      ))}
      {input !== undefined && <Words input={input} />}
    </>
  );
}

function Words({ input }: { readonly input: JsonObject }) {
  const [only, ...more] = Object.values(input);
  if (more.length === 0 && typeof only === "string")
    return <p className="text-base leading-relaxed break-words whitespace-pre-wrap">{only}</p>;
  return <JsonView value={input} label="question" />;
}

type AnswerProps = { readonly event: AgentEvent; readonly pending: PendingTool; readonly task: Task };

function Answer({ event: { executionId }, pending, task }: AnswerProps) {
  const fields = answerFields(pending.response_schema);
  const asksForApproval = fields.some(({ name }) => name === "approved");
  const others = fields.filter(({ name }) => name !== "approved");
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const queryClient = useQueryClient();
  const send = useMutation({
    mutationFn: (request: ApiRequest) => call(request),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["task", task.taskId] }),
  });
  const isMessage = task.taskType === "PULL_WORKFLOW_MESSAGES";
  const toRequest = (more: JsonObject): ApiRequest => ({
    method: "POST",
    path: isMessage ? path`/workflow/${executionId}/messages` : path`/agent/${executionId}/respond`,
    body: { ...toAnswer(others, typed), ...more },
  });
  const isWhole = isAnswered(others, typed);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!asksForApproval) send.mutate(toRequest({}));
      }}
    >
      {others.map((field) => (
        <AnswerField
          key={field.name}
          field={field}
          value={typed[field.name] ?? ""}
          onChange={(value) => setTyped({ ...typed, [field.name]: value })}
        />
      ))}
      {send.error !== null && <Problem error={send.error} />}
      <div className="flex items-center gap-2">
        <span className="mr-auto">
          <CopyAs request={toRequest(asksForApproval ? { approved: true } : {})} />
        </span>
        {asksForApproval ? (
          <>
            <Button disabled={send.isPending} onClick={() => send.mutate(toRequest({ approved: false }))}>
              <X /> Reject
            </Button>
            <Button
              look="primary"
              disabled={send.isPending || !isWhole}
              onClick={() => send.mutate(toRequest({ approved: true }))}
            >
              <Check /> Approve
            </Button>
          </>
        ) : (
          <Button type="submit" look="primary" disabled={send.isPending || !isWhole}>
            <Send /> {isMessage ? "Send" : "Answer"}
          </Button>
        )}
      </div>
    </form>
  );
}

function Answered({ task: { outputData, status } }: { readonly task: Task }) {
  const { approved, reason, ...rest } = outputData;
  if (status !== "COMPLETED") return <p className="text-sm text-faint">Nobody answered before the run ended.</p>;
  return (
    <>
      {typeof approved === "boolean" && (
        <p className={`text-sm font-medium ${approved ? "text-good" : "text-bad"}`}>
          {approved ? "Approved" : "Rejected"}
          {typeof reason === "string" && reason !== "" && `: ${reason}`}
        </p>
      )}
      {Object.keys(rest).length > 0 && <JsonView value={rest} label="answer" />}
    </>
  );
}
