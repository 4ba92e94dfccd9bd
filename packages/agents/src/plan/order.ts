import { InvalidPlan, type Step } from "./plan.ts";

/** The steps so that each comes after those it depends on, otherwise as the plan has them. Throws InvalidPlan. */
export function inOrder(steps: readonly Step[]): readonly Step[] {
  const places = new Map(steps.map((step, index) => [step.id, index]));
  const open = steps.map((step) => step.dependsOn.length);
  const dependents = steps.map((): number[] => []);
  steps.forEach(({ dependsOn }, index) => {
    for (const dep of dependsOn) dependents[places.get(dep) ?? index]?.push(index);
  });
  const ready = steps.flatMap((_, index) => (open[index] === 0 ? [index] : []));
  const ordered: Step[] = [];
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    ordered.push(...steps.slice(next, next + 1));
    for (const dependent of dependents[next] ?? []) {
      const left = (open[dependent] ?? 0) - 1;
      open[dependent] = left;
      if (left === 0) insertInOrder(ready, dependent);
    }
  }
  if (ordered.length === steps.length) return ordered;
  const waiting = steps.filter((_, index) => (open[index] ?? 0) > 0);
  throw new InvalidPlan(`Cycle in depends_on: ${findCycle(waiting).join(" -> ")}`);
}

function insertInOrder(indices: number[], index: number): void {
  const at = indices.findIndex((other) => other > index);
  indices.splice(at === -1 ? indices.length : at, 0, index);
}

/** Every waiting step waits for another one of them, so following them comes back to where it has been. */
function findCycle(waiting: readonly Step[]): readonly string[] {
  const byId = new Map(waiting.map((step) => [step.id, step]));
  const path: string[] = [];
  let at: string | undefined = waiting[0]?.id;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = byId.get(at)?.dependsOn.find((dep) => byId.has(dep));
  }
  return at === undefined ? path : [...path.slice(path.indexOf(at)), at];
}
