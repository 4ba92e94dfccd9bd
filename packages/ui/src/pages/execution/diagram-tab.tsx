import { useCallback, useMemo } from "react";
import type { Execution, TaskState } from "../../api/types.ts";
import { Diagram } from "../../graph/diagram.tsx";
import type { DiagramNode } from "../../graph/layout.ts";
import { toProgress } from "../../graph/progress.ts";
import { isExecutionOpen } from "../../lib/status.ts";

type Props = {
  readonly execution: Execution;
  readonly tasks: readonly TaskState[];
  readonly openTaskId: string | undefined;
  readonly openRef: string | undefined;
  readonly onOpen: (taskId: string) => void;
  readonly onOpenEntry: (ref: string) => void;
};

/** The definition as a picture, and where this execution went in it. */
export function DiagramTab({ execution, tasks, openTaskId, openRef, onOpen, onOpenEntry }: Props) {
  const entries = execution.workflowDefinition.tasks;
  const progress = useMemo(() => toProgress(entries, tasks), [entries, tasks]);
  const openName = tasks.find(({ taskId }) => taskId === openTaskId)?.referenceTaskName;
  const isOpen = useCallback(
    ({ task, entry }: DiagramNode) =>
      task === undefined
        ? openRef !== undefined && entry?.taskReferenceName === openRef
        : task.referenceTaskName === openName,
    [openName, openRef],
  );
  return (
    <div className="min-h-0 flex-1">
      <Diagram
        entries={entries}
        progress={progress}
        isEnded={!isExecutionOpen(execution.status) && execution.status === "COMPLETED"}
        isOpen={isOpen}
        onOpen={({ task, entry }) => {
          if (task !== undefined) onOpen(task.taskId);
          else if (entry !== undefined) onOpenEntry(entry.taskReferenceName);
        }}
      />
    </div>
  );
}
