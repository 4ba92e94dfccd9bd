import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

const TaskDefinitionEditor = lazy(async () => ({
  default: (await import("../task-definition/task-definition-editor.tsx")).TaskDefinitionEditor,
}));

const template = {
  name: "my_task",
  description: "What the worker does",
  ownerEmail: "you@example.com",
  retryCount: 3,
  retryLogic: "EXPONENTIAL_BACKOFF",
  retryDelaySeconds: 5,
  responseTimeoutSeconds: 60,
  timeoutSeconds: 3600,
  timeoutPolicy: "TIME_OUT_WF",
};

/** A task definition that is not there yet. */
export function NewTaskDefinitionPage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="New task definition" note="Completion with Ctrl Space" />
      <div className="flex min-h-0 flex-1 flex-col bg-surface">
        <Suspense fallback={<Skeleton rows={10} />}>
          <TaskDefinitionEditor
            draftKey="new-task-definition"
            saved={JSON.stringify(template, null, 2)}
            isNew
            onSaved={(name) => void navigate({ to: "/task-definitions/$name", params: { name } })}
          />
        </Suspense>
      </div>
    </>
  );
}
