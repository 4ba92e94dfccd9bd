import { RawJson } from "../expression/raw-json.ts";
import { renderText } from "../expression/render-text.ts";
import type { Scope } from "../expression/scope.ts";
import { resolveTemplate } from "../expression/template.ts";
import type { Json } from "../json.ts";
import type { Plan } from "../plan/plan.ts";
import type { Work } from "./changes.ts";
import { executionWork } from "./deadlines.ts";
import { LIMITED_QUEUE } from "./domains.ts";
import type { StartEvent } from "./event.ts";

/** How many executions of one key may run at once; a slot is held from the start to the end. */
export type ExecutionLimit = {
  readonly key: string;
  readonly concurrent: number;
  readonly policy: "QUEUE" | "REJECT";
};

/** Executions that wait for a slot are queued under this name and the key. No worker may poll it. */
export const rateLimitQueue = (key: string): string => `_rateLimit:${key}`;
/** Queues of the server's own: no worker may poll them. */
export const isInternalQueue = (queue: string): boolean => queue === LIMITED_QUEUE || isRateLimitQueue(queue);
export const isRateLimitQueue = (queue: string): boolean => queue.startsWith("_rateLimit:");

/** The limit a definition's rateLimitConfig puts on this start; undefined for none. */
export function executionLimit(plan: Plan, event: StartEvent): ExecutionLimit | undefined {
  const config = plan.def.rateLimitConfig;
  if (config === undefined || config.concurrentExecLimit <= 0) return undefined;
  const resolved = plan.rateLimitKey === undefined ? "" : resolveTemplate(plan.rateLimitKey, startScope(event));
  const text = renderText(resolved instanceof RawJson ? resolved : (resolved as Json));
  return { key: `${event.workflowName}:${text}`, concurrent: config.concurrentExecLimit, policy: config.policy };
}

/** The work row of an execution that waits for a slot. */
export const gateWork = (key: string, now: number): Work => ({
  ...executionWork(0),
  state: "ready",
  queue: rateLimitQueue(key),
  dueAt: now,
});

/** What a key may name: the request that starts the execution. */
const startScope = (event: StartEvent): Scope => ({
  missing: "null",
  constant: () => undefined,
  environment: () => undefined,
  root: (name) =>
    name !== "workflow"
      ? undefined
      : {
          lazy: true,
          get: (key) =>
            ({ input: event.input, correlationId: event.correlationId, workflowType: event.workflowName })[key],
          whole: () => event.input,
        },
});
