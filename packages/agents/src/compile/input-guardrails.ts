import { inputGuardrails, refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { variable, workflowInput } from "./expression.ts";
import { compileGuardrails } from "./guardrails.ts";
import { setVariable, type TaskList } from "./tasks.ts";

/** Expression of what the caller asked: as it came, or as the input guardrails left it. */
export const promptOf = (config: AgentConfig): string =>
  inputGuardrails(config).length === 0 ? workflowInput("prompt") : variable("_input_prompt");

/** Guardrails that look at the prompt before anything else happens. They may refuse it, or put another in its place. */
export function inputGuardrailTasks(config: AgentConfig): TaskList {
  const guardrails = inputGuardrails(config);
  if (guardrails.length === 0) return [];
  const content = variable("_input_prompt");
  return [
    setVariable(`${refName(config.name)}_input_prompt`, { _input_prompt: workflowInput("prompt") }),
    ...compileGuardrails(config, guardrails, { position: "input", content }).tasks,
  ];
}
