import type { Json } from "@downbeat/engine";
import type { Shape, TaskShape } from "./flatten.ts";

/** What differs, one line for each fact: where it is, and what we have there. */
export function differences(ours: Shape, recorded: Shape): readonly string[] {
  return [...taskDifferences(ours, recorded), ...leafDifferences("", ours.workflow, recorded.workflow)].sort();
}

function taskDifferences(ours: Shape, recorded: Shape): readonly string[] {
  const missing = [...recorded.tasks.keys()].filter((ref) => !ours.tasks.has(ref)).map((ref) => `${ref} is missing`);
  const rest = [...ours.tasks].flatMap(([ref, task]) => {
    const other = recorded.tasks.get(ref);
    if (other === undefined) return [`${ref} is added: ${task.type} in ${placeOf(task)}`];
    const scope = ref.slice(0, ref.lastIndexOf(">") + 1);
    return [
      ...(task.type === other.type ? [] : [`${ref}.type = ${task.type}`]),
      ...(task.in === other.in
        ? orderDifferences(ref, { task, other, scope, ours, recorded })
        : [`${ref} stands in ${placeOf(task)}`]),
      ...leafDifferences(`${ref}.`, task.leaves, other.leaves),
    ];
  });
  return [...missing, ...rest];
}

const placeOf = (task: TaskShape): string => (task.in === "" ? "the workflow" : task.in);

type Pair = {
  readonly task: TaskShape;
  readonly other: TaskShape;
  readonly scope: string;
  readonly ours: Shape;
  readonly recorded: Shape;
};

/** Order counts among the tasks that both have in the same container. */
function orderDifferences(ref: string, { task, other, scope, ours, recorded }: Pair): readonly string[] {
  const isShared = (name: string): boolean =>
    ours.tasks.get(scope + name)?.in === task.in && recorded.tasks.get(scope + name)?.in === task.in;
  const before = task.after.filter(isShared).join(", ");
  return before === other.after.filter(isShared).join(", ") ? [] : [`${ref} comes after ${before}`];
}

function leafDifferences(
  prefix: string,
  ours: ReadonlyMap<string, Json>,
  recorded: ReadonlyMap<string, Json>,
): readonly string[] {
  const gone = [...recorded.keys()].filter((path) => !ours.has(path)).map((path) => `${prefix}${path} is missing`);
  const changed = [...ours]
    .filter(([path, leaf]) => !isSame(leaf, recorded.get(path)))
    .map(([path, leaf]) => `${prefix}${path} = ${shown(leaf)}`);
  return [...gone, ...changed];
}

/** Scripts, conditions and prompts are ours: only that they are there counts, and the expressions a prompt holds. */
function isSame(ours: Json, recorded: Json | undefined): boolean {
  if (recorded === "<script>" || recorded === "<condition>") return typeof ours === "string" && ours.trim() !== "";
  if (typeof recorded === "string" && recorded.startsWith("<text>")) {
    return typeof ours === "string" && ["<text>", ...expressionsIn(ours)].join(" ") === recorded;
  }
  return JSON.stringify(ours) === JSON.stringify(recorded);
}

const expressionsIn = (text: string): readonly string[] => text.match(/(?<!\$)\$\{[^}]*\}/g) ?? [];

function shown(leaf: Json): string {
  const text = JSON.stringify(leaf);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
