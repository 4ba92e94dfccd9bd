import { innermostIteration, iterationPath, type Task } from "../execution/task.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { Lazy, Node } from "../expression/scope.ts";
import type { Json } from "../json.ts";
import { textOf } from "./join-output.ts";
import type { Transition } from "./transition.ts";

type OutputOf = (t: Transition, task: Task) => RawJson | Lazy;

/**
 * A DO_WHILE's output is never stored: `iteration` comes from the head, `"<n>"` from the tasks of that iteration. So
 * an iteration costs the same whether it is the second or the ten-thousandth.
 */
export function loopOutput(t: Transition, loop: Task, outputOf: OutputOf): Lazy {
  return {
    lazy: true,
    get(key) {
      switch (key) {
        case "iteration":
          return iterationOf(t, loop);
        case "loopIndex":
          return isListMode(t, loop) ? Math.max(0, iterationOf(t, loop) - 1) : undefined;
        case "loopItem":
          return isListMode(t, loop) ? loopItem(t, loop) : undefined;
        default:
          return /^[1-9]\d*$/.test(key) ? iterationOutput(t, loop, Number(key), outputOf) : undefined;
      }
    },
    whole: () => new RawJson(loopText(t, loop, outputOf)),
  };
}

const iterationOf = (t: Transition, loop: Task): number => t.head.loops[loop.no]?.iteration ?? loop.iteration;

const isListMode = (t: Transition, loop: Task): boolean => t.entryOf(loop).items !== undefined;

/** The elements a list-mode loop runs over; they are kept in the loop's input. */
export function loopItems(t: Transition, loop: Task): readonly Json[] {
  const items = (t.input(loop.no).value as { readonly _items?: Json })._items;
  return Array.isArray(items) ? items : [];
}

function loopItem(t: Transition, loop: Task): Json {
  return loopItems(t, loop)[iterationOf(t, loop) - 1] ?? null;
}

/** Outputs of one iteration by bare reference name. */
function iterationOutput(t: Transition, loop: Task, iteration: number, outputOf: OutputOf): Node | undefined {
  if (iteration > iterationOf(t, loop)) return undefined;
  const iter = iterationPath(loop.iter, iteration);
  return {
    lazy: true,
    get(ref) {
      const task = t.findInIteration(ref, iter);
      return task === undefined || task.scope !== loop.no ? undefined : outputOf(t, task);
    },
    whole: () =>
      new RawJson(
        iterationText(
          t,
          t.loopTasks(loop.no).filter(({ task }) => task.iter === iter),
          outputOf,
        ),
      ),
  };
}

function loopText(t: Transition, loop: Task, outputOf: OutputOf): string {
  const byIteration = new Map<number, { readonly task: Task; readonly output: RawJson }[]>();
  for (const item of t.loopTasks(loop.no)) {
    const iteration = innermostIteration(item.task.iter);
    const items = byIteration.get(iteration);
    if (items === undefined) byIteration.set(iteration, [item]);
    else items.push(item);
  }
  const members = [...byIteration].map(([iteration, items]) => `"${iteration}":${iterationText(t, items, outputOf)}`);
  members.push(`"iteration":${iterationOf(t, loop)}`);
  if (isListMode(t, loop)) {
    members.push(
      `"loopIndex":${Math.max(0, iterationOf(t, loop) - 1)}`,
      `"loopItem":${JSON.stringify(loopItem(t, loop))}`,
    );
  }
  return `{${members.join(",")}}`;
}

function iterationText(
  t: Transition,
  items: readonly { readonly task: Task; readonly output: RawJson }[],
  outputOf: OutputOf,
): string {
  const youngest = new Map<string, string>();
  for (const { task, output } of items) {
    const isView = task.taskType === "JOIN" || task.taskType === "DO_WHILE";
    youngest.set(task.ref, isView ? textOf(outputOf(t, task)) : output.text);
  }
  return `{${[...youngest].map(([ref, text]) => `${JSON.stringify(ref)}:${text}`).join(",")}}`;
}
