import type { JsonObject } from "@downbeat/engine";
import { instructionsText, refName } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { agentModel } from "../agent-model.ts";
import { authored, outputOf, variable } from "../expression.ts";
import { llmTask, systemMessage, userMessage } from "../llm-task.ts";
import { outputFormText } from "../system-prompt.ts";
import type { TaskList } from "../tasks.ts";
import { answer } from "./shared.ts";

const defaultMaxTokens = 16384;

/** The closing model call that makes one answer of a team's work, or the conversation as it stands. */
export function finalAnswer(config: AgentConfig): { readonly tasks: TaskList; readonly outputParameters: JsonObject } {
  const context = variable("_agent_state");
  if (config.synthesize === false)
    return { tasks: [], outputParameters: answer(variable("conversation"), "STOP", context) };
  const ref = `${refName(config.name)}_final`;
  const request =
    "The conversation below shows a request and what a team of agents did about it. Give the complete final answer to the request from their work. Leave out no detail of their results, and say nothing about how the work was divided.";
  const own = authored(instructionsText(config));
  const form = outputFormText(config);
  const task = llmTask(ref, agentModel(config), {
    maxTokens: config.maxTokens ?? defaultMaxTokens,
    ...(form === "" ? {} : { jsonOutput: true }),
    messages: [
      systemMessage([own, request, form].filter((part) => part !== "").join("\n\n")),
      userMessage(variable("conversation")),
    ],
  });
  return { tasks: [task], outputParameters: answer(outputOf(ref, "result"), outputOf(ref, "finishReason"), context) };
}
