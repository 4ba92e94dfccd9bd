import { useState } from "react";
import { useTask } from "../../api/tasks.ts";
import type { Task, TaskState } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { diffValues } from "./diff-values.ts";

type Props = { readonly task: Task; readonly attempts: readonly TaskState[] };

/** What is different from the attempt before, value by value. */
export function AttemptDiff({ task, attempts }: Props) {
  const [isOpen, setOpen] = useState(false);
  const at = attempts.findIndex(({ taskId }) => taskId === task.taskId);
  const other = attempts[at === 0 ? 1 : at - 1];
  if (other === undefined) return null;
  const number = attempts.indexOf(other) + 1;
  return (
    <div className="border-t border-line p-3">
      <Button isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} what differs from attempt {number}
      </Button>
      {isOpen && <Differences task={task} otherId={other.taskId} />}
    </div>
  );
}

function Differences({ task, otherId }: { readonly task: Task; readonly otherId: string }) {
  const { data: other } = useTask(otherId, "ended");
  if (other === undefined) return null;
  const pick = ({ status, reasonForIncompletion = "", workerId = "", inputData, outputData }: Task) => ({
    status,
    reasonForIncompletion,
    workerId,
    input: inputData,
    output: outputData,
  });
  const differences = diffValues(pick(other), pick(task));
  if (differences.length === 0) return <p className="mt-2 text-sm text-faint">Nothing</p>;
  return (
    <table className="mt-2 w-full text-left text-xs">
      <thead className="text-faint">
        <tr>
          <th className="py-1 pr-2 font-medium">Where</th>
          <th className="py-1 pr-2 font-medium">There</th>
          <th className="py-1 font-medium">Here</th>
        </tr>
      </thead>
      <tbody className="mono align-top">
        {differences.map(({ at, before, after }) => (
          <tr key={at} className="border-t border-line">
            <td className="py-1 pr-2 text-accent-ink">{at}</td>
            <td className="py-1 pr-2 break-all text-bad">{before}</td>
            <td className="py-1 break-all text-good">{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
