import type { OutsideCall } from "@downbeat/server";
import type { AiServices, AiTask } from "../ai-task.ts";
import { readChatInput } from "../chat/chat-input.ts";
import { completeChat } from "../chat/complete.ts";
import { fillVariables } from "../chat/variables.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { input } from "../input.ts";

/** LLM_CHAT_COMPLETE: one turn of a conversation, with tools, structured output and what was said before. */
export const llmChatComplete: AiTask = {
  type: "LLM_CHAT_COMPLETE",
  async run(call, services) {
    const { asked, variables } = readCall(call);
    await checkInput(call, services, asked.inputSchema);
    const instructions = await instructionsOf(call, services, asked.instructions);
    const filled = instructions === undefined ? undefined : fillVariables(instructions, variables);
    return await completeChat(call, services, {
      input: { ...asked, instructions: filled },
      variables,
      hasHistory: true,
    });
  },
};

function readCall(call: OutsideCall) {
  try {
    return { asked: readChatInput(call.input), variables: input.object(call.input, "promptVariables") ?? {} };
  } catch (error) {
    const message = `Error preparing chat completion task input: ${messageOf(error)}`;
    throw new TerminalError(message, { isBare: true, cause: error });
  }
}

async function checkInput(
  call: OutsideCall,
  { runtime }: AiServices,
  schema: ReturnType<typeof readChatInput>["inputSchema"],
) {
  if (schema === undefined) return;
  const violation = await runtime.schemas.check(schema, input.object(call.input, "promptVariables") ?? call.input);
  if (violation !== undefined) {
    throw new TerminalError(`Input does not confirm to the schema.  errors: Schema validation failed ${violation}`);
  }
}

/** Instructions, or promptName, may be the name of a saved prompt; any other text stands for itself. */
async function instructionsOf(
  call: OutsideCall,
  { prompts }: AiServices,
  instructions: string | undefined,
): Promise<string | undefined> {
  const text = instructions ?? input.text(call.input, "promptName");
  if (text === undefined) return undefined;
  return (await prompts.findText(text.trim(), input.integer(call.input, "promptVersion"))) ?? text;
}
