import { StepForward } from "lucide-react";
import { path } from "../../api/client.ts";
import { isExecutionOpen } from "../../lib/status.ts";
import { type Action, readObject, type TaskSubject } from "../action.ts";

export const rerun: Action<TaskSubject> = {
  id: "rerun",
  label: "Rerun from here",
  icon: StepForward,
  obstacle: ({ execution }) => (isExecutionOpen(execution.status) ? "The execution has not ended" : undefined),
  preview: ({ task, tasks }) => {
    const after = tasks.filter(({ seq }) => seq > task.seq).length;
    return [
      `The execution runs again from ${task.referenceTaskName}, with the input below.`,
      after === 0
        ? "Nothing was scheduled after it."
        : `Of the ${after} tasks scheduled after it, those that follow from it are given up; finished branches beside it stay.`,
    ];
  },
  fields: [
    {
      name: "taskInput",
      label: "Input of the task",
      kind: "json",
      initial: ({ input }) => JSON.stringify(input, null, 2),
    },
  ],
  toRequest: ({ execution, task, input }, values) => {
    const taskInput = readObject(values, "taskInput");
    const isSame = JSON.stringify(taskInput) === JSON.stringify(input);
    return {
      method: "POST",
      path: path`/workflow/${execution.workflowId}/rerun`,
      // Left out when unchanged: the server then works the input out anew.
      body: { reRunFromTaskId: task.taskId, ...(isSame ? {} : { taskInput }) },
    };
  },
  done: "Running again",
};
