import type { JsonObject, TaskResult } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AiServices, AiTask } from "../ai-task.ts";
import { readChatInput } from "../chat/chat-input.ts";
import { completeChat } from "../chat/complete.ts";
import { fillVariables } from "../chat/variables.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";

const ASK = "use the instructions given to generate the response.";

/** LLM_TEXT_COMPLETE: one prompt, one answer. */
export const llmTextComplete: AiTask = {
  type: "LLM_TEXT_COMPLETE",
  run: (call, services) => completeText(call, services),
};

/** Runs as a chat whose system text is the prompt. */
async function completeText(call: OutsideCall, services: AiServices): Promise<TaskResult> {
  const prompt = await promptOf(call.input, services);
  const { messages: _messages, userInput: _userInput, tools: _tools, ...asked } = readChatInput(call.input);
  return await completeChat(call, services, {
    input: {
      ...asked,
      instructions: prompt,
      messages: [{ role: "user", message: ASK }],
      userInput: undefined,
      tools: [],
    },
    variables: {},
    hasHistory: false,
  });
}

async function promptOf(from: JsonObject, { prompts }: AiServices): Promise<string> {
  const name = input.word(from, "promptName");
  const saved = name === undefined ? undefined : await prompts.findText(name, input.integer(from, "promptVersion"));
  const text = saved ?? name ?? input.word(from, "prompt");
  if (text === undefined) throw new TerminalError("Expected a prompt, got none");
  return fillVariables(text, input.object(from, "promptVariables") ?? {});
}
