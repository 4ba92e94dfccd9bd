import { useCallback, useMemo, useState } from "react";
import { checkDefinition, useDefinitionNames } from "../../api/definitions.ts";
import { useTaskDefinitions } from "../../api/task-definitions.ts";
import type { TaskEntry } from "../../api/types.ts";
import { ErrorBoundary } from "../../components/error-boundary.tsx";
import type { Steps } from "../../editing/json-places.ts";
import { ProblemList } from "../../editing/problem-list.tsx";
import { type FoundProblem, type Reveal, SchemaEditor } from "../../editing/schema-editor.tsx";
import { Diagram } from "../../graph/diagram.tsx";
import type { DiagramNode } from "../../graph/layout.ts";
import { toProgress } from "../../graph/progress.ts";
import { readEntries, withValueAt } from "./draft-entries.ts";
import { toProblems } from "./problems.ts";
import { suggestIn } from "./suggestions.ts";
import { TaskForm } from "./task-form.tsx";

type Props = {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The text as a value, or as it last was one. */
  readonly draft: unknown;
};

/** A definition's text, its picture and the chosen task's form, side by side; each follows the others. */
export function DefinitionEditor({ text, onChange, draft }: Props) {
  const [problems, setProblems] = useState<readonly FoundProblem[]>([]);
  const [reveal, setReveal] = useState<Reveal>();
  const [chosen, setChosen] = useState<Steps>();
  const workflows = useDefinitionNames();
  const { data: taskDefinitions } = useTaskDefinitions();
  const known = useMemo(
    () => ({ workflows, tasks: (taskDefinitions ?? []).map(({ name }) => name) }),
    [workflows, taskDefinitions],
  );
  const { entries, stepsOf } = useMemo(() => readEntries(draft), [draft]);
  const progress = useMemo(() => toProgress(entries, []), [entries]);
  const chosenKey = chosen?.join("/");
  const isOpen = useCallback(
    ({ entry }: DiagramNode) => chosenKey !== undefined && keyOf(stepsOf, entry) === chosenKey,
    [chosenKey, stepsOf],
  );
  const isThere = chosenKey !== undefined && [...stepsOf.values()].some((steps) => steps.join("/") === chosenKey);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex w-[44%] min-w-80 shrink-0 flex-col border-r border-line">
        <div className="min-h-0 flex-1">
          <SchemaEditor
            label="The definition as JSON"
            value={text}
            onChange={onChange}
            schemaName="WorkflowDef"
            suggest={(steps, whole) => suggestIn(known, steps, whole)}
            check={check}
            onProblems={setProblems}
            reveal={reveal}
          />
        </div>
        <ProblemList problems={problems} onShow={({ steps }) => setReveal({ steps })} />
      </div>
      <div className="min-w-0 flex-1">
        <ErrorBoundary resetKey={text}>
          <Diagram
            entries={entries}
            progress={progress}
            isEnded={false}
            isOpen={isOpen}
            onOpen={({ entry }) => {
              const steps = entry && stepsOf.get(entry);
              if (steps === undefined) return;
              setChosen(steps);
              setReveal({ steps });
            }}
          />
        </ErrorBoundary>
      </div>
      {chosen !== undefined && isThere && (
        <TaskForm
          draft={draft}
          steps={chosen}
          onChange={(steps, value) => onChange(JSON.stringify(withValueAt(draft, steps, value), null, 2))}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  );
}

const keyOf = (stepsOf: ReadonlyMap<TaskEntry, Steps>, entry: TaskEntry | undefined): string | undefined =>
  entry && stepsOf.get(entry)?.join("/");

async function check(value: unknown) {
  try {
    await checkDefinition(value);
    return [];
  } catch (error) {
    return toProblems(error, value);
  }
}
