import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

type Step = { readonly state: Json; readonly result: Json };

/** A node that was passed over: its state goes on as it came. */
export function passState(input: { readonly state: Maybe<Json>; readonly result: Maybe<Json> }): Step {
  return { state: input.state ?? {}, result: input.result ?? null };
}

/** What a node with a model or a graph inside came to, whether that ran or was passed over. */
export function nodeOutput(input: {
  readonly skip: Maybe<Json>;
  readonly pt_state: Maybe<Json>;
  readonly pt_result: Maybe<Json>;
  readonly fin_state: Maybe<Json>;
  readonly fin_result: Maybe<Json>;
}): Step {
  const isSkipped = input.skip === true || input.skip === "true";
  return isSkipped
    ? { state: input.pt_state ?? {}, result: input.pt_result ?? null }
    : { state: input.fin_state ?? input.pt_state ?? {}, result: input.fin_result ?? null };
}

/** Of several branches the one that the decision led to: the others may hold what an earlier round left there. */
export function coalesce(
  input: { readonly [key: string]: Maybe<Json> },
  known: { readonly targets: { readonly [decision: string]: string }; readonly nodes: readonly string[] },
): Step {
  const node = known.targets[String(input["decision"] ?? "")];
  const index = node === undefined ? -1 : known.nodes.indexOf(node);
  const state = input[`state_${index}`] ?? input["fallback_state"] ?? {};
  return { state, result: input[`result_${index}`] ?? null };
}

/** The state a round of a loop begins with: the one the last round ended with, at first the one before the loop. */
export function bridgeState(input: { readonly router_state: Maybe<Json>; readonly pre_loop_state: Maybe<Json> }): {
  readonly state: Json;
} {
  return { state: input.router_state ?? input.pre_loop_state ?? {} };
}

type Reducers = { readonly reducers: { readonly [field: string]: string } };

/** States of branches in one: fields that add up are lists one after the other, of the rest the last wins. */
export function mergeBranches(
  input: { readonly [branch: string]: Maybe<Json> },
  known: Reducers & { readonly count: number },
): Step {
  const merged: Record<string, Json> = Object.create(null);
  const listOf = (value: Maybe<Json>): readonly Json[] =>
    value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
  for (let index = 0; index < known.count; index++) {
    const state = input[`b${index}`];
    if (typeof state !== "object" || state === null || Array.isArray(state)) continue;
    for (const [field, value] of Object.entries(state as JsonObject)) {
      merged[field] = known.reducers[field] === "add" ? [...listOf(merged[field]), ...listOf(value)] : value;
    }
  }
  return { state: merged, result: merged };
}

type Fanned = { readonly node?: string; readonly input?: Maybe<Json> };

/** The tasks a router asked for at run time. */
export function enrichFanout(
  input: { readonly dynamic_tasks: Maybe<readonly Fanned[]> },
  known: { readonly workers: { readonly [node: string]: string } },
): { readonly dynamicTasks: readonly JsonObject[]; readonly dynamicTasksInputs: JsonObject } {
  const tasks: JsonObject[] = [];
  const inputs: Record<string, Json> = {};
  (input.dynamic_tasks ?? []).forEach(({ node, input: state }, index) => {
    const isKnown = Object.keys(known.workers).includes(node ?? "");
    const worker = (isKnown ? known.workers[node ?? ""] : node) ?? "";
    const taskReferenceName = `${worker.replace(/[^A-Za-z0-9_-]/g, "_")}__dyn_${index}`;
    tasks.push({ name: worker, taskReferenceName, type: "SIMPLE" });
    inputs[taskReferenceName] = { state: state ?? {} };
  });
  return { dynamicTasks: tasks, dynamicTasksInputs: inputs };
}

/** The state after the tasks a router asked for. */
export function mergeFanout(
  input: { readonly joinOutput: Maybe<JsonObject>; readonly parentState: Maybe<JsonObject> },
  known: Reducers,
): Step {
  const merged: Record<string, Json> = Object.assign(Object.create(null), input.parentState ?? {});
  const listOf = (value: Maybe<Json>): readonly Json[] =>
    value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
  const results: Json[] = [];
  const numberOf = (ref: string): number => Number(/__dyn_(\d+)/.exec(ref)?.[1] ?? 0);
  const outputs = Object.entries(input.joinOutput ?? {}).sort(([one], [other]) => numberOf(one) - numberOf(other));
  for (const [, output] of outputs) {
    const { state, result } = (output ?? {}) as { readonly state?: Json; readonly result?: Json };
    results.push(result ?? null);
    if (typeof state !== "object" || state === null || Array.isArray(state)) continue;
    for (const [field, value] of Object.entries(state as JsonObject)) {
      merged[field] = known.reducers[field] === "add" ? [...listOf(merged[field]), ...listOf(value)] : value;
    }
  }
  return { state: merged, result: results };
}
