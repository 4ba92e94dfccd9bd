import { InvalidPlan, type Step } from "./plan.ts";

/** The steps so that each comes after those it depends on, otherwise as the plan has them. Throws InvalidPlan. */
export function inOrder(steps: readonly Step[]): readonly Step[] {
  const done = new Set<string>();
  const ordered: Step[] = [];
  let waiting = steps;
  while (waiting.length > 0) {
    const next = waiting.find((step) => step.dependsOn.every((dep) => done.has(dep)));
    if (next === undefined) throw new InvalidPlan(`Cycle in depends_on: ${findCycle(waiting).join(" -> ")}`);
    done.add(next.id);
    ordered.push(next);
    waiting = waiting.filter((step) => step !== next);
  }
  return ordered;
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
