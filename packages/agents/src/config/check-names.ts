import { InvalidAgent } from "../invalid-agent.ts";
import { isInstructionsWorker, isWorkerRef } from "./questions.ts";
import type { AgentConfig } from "./types.ts";

/** Tools, workers and guardrails are found by their names: each that is named at all has one. */
export function checkNames(config: AgentConfig): void {
  const { router, instructions } = config;
  const names: readonly (readonly [what: string, name: string | undefined])[] = [
    ...(config.tools ?? []).map(({ name }) => ["a tool", name] as const),
    ...(config.agents ?? []).map(({ name }) => ["a sub-agent", name] as const),
    ...(config.prefillTools ?? []).map(({ toolName }) => ["a prefilled tool", toolName] as const),
    ...(config.callbacks ?? []).map(({ position, taskName }) => [`the callback ${position}`, taskName] as const),
    ...(config.guardrails ?? []).map(({ name }) => ["a guardrail", name] as const),
    ["stopWhen", config.stopWhen?.taskName],
    ["the router", router !== undefined && isWorkerRef(router) ? router.taskName : undefined],
    ["the instructions", isInstructionsWorker(instructions) ? instructions._worker_ref : undefined],
  ];
  const nameless = names.find(([, name]) => name !== undefined && name.trim() === "");
  if (nameless !== undefined)
    throw new InvalidAgent(`Expected ${nameless[0]} of '${config.name}' to have a name, got none`);
}
