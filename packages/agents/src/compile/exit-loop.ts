import type { JsonObject } from "@downbeat/engine";
import { exitTools, refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { anyExit, exitCheck } from "../scripts/exit-loop.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { outputOf } from "./expression.ts";
import { inline, type TaskList } from "./tasks.ts";

/** Where an agent that may end the loop around it says whether it did. */
export const EXIT_LOOP = "exitLoop";

export type Exit = { readonly tasks: TaskList; readonly result: string; readonly outputParameters: JsonObject };

/** What stands after the turns of an agent that has a tool to end the loop around it. */
export function exitOf(config: AgentConfig, result: string): Exit {
  const tools = exitTools(config);
  if (tools.length === 0) return { tasks: [], result, outputParameters: {} };
  const base = refName(config.name);
  const ref = `${base}_exit_loop`;
  const toolCalls = outputOf(`${base}_llm`, "toolCalls");
  return {
    tasks: [inline(ref, scriptOf(exitCheck, { tools }), { toolCalls, result })],
    result: outputOf(ref, "result.result"),
    outputParameters: { [EXIT_LOOP]: outputOf(ref, "result.exits") },
  };
}

/** The same for a team: one of its agents is enough. */
export function exitOfTeam(config: AgentConfig, steps: readonly string[]): Omit<Exit, "result"> {
  if (steps.length === 0) return { tasks: [], outputParameters: {} };
  const ref = `${refName(config.name)}_exit_loop`;
  const exits = Object.fromEntries(steps.map((step, index) => [`s${index}`, outputOf(step, EXIT_LOOP)]));
  return {
    tasks: [inline(ref, scriptOf(anyExit), exits)],
    outputParameters: { [EXIT_LOOP]: outputOf(ref, "result") },
  };
}
