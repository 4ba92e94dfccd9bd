import { refName, refPart } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { outputOf } from "./expression.ts";
import { simple, type TaskList } from "./tasks.ts";

type Position = "before_agent" | "after_agent" | "before_model" | "after_model" | "before_tool" | "after_tool";

/** The same around a team, which has no model turn of its own to tell of. */
export function teamCallback(config: AgentConfig, position: "before_agent" | "after_agent", result: string): TaskList {
  return callback(config, position).map((task) => ({
    ...task,
    inputParameters: {
      callback_position: position,
      agent_name: config.name,
      ...(position === "after_agent" ? { llm_result: result } : {}),
    },
  }));
}

/** The worker that is told of a moment in the run, if there is one. What it answers is not used. */
export function callback(config: AgentConfig, position: Position): TaskList {
  const found = (config.callbacks ?? []).find((one) => one.position === position);
  if (found === undefined) return [];
  const llm = `${refName(config.name)}_llm`;
  const inputs = {
    callback_position: position,
    agent_name: config.name,
    ...(position === "before_agent"
      ? {}
      : { llm_result: outputOf(llm, "result"), tool_calls: outputOf(llm, "toolCalls") }),
  };
  return [simple(`${refPart(config.name)}_${position}`, found.taskName, inputs)];
}
