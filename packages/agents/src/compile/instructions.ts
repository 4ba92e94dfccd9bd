import { isInstructionsWorker, refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { readInstructions } from "../scripts/instructions-text.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { literalObject, workflowInput } from "./expression.ts";
import { inline, simple, type TaskList } from "./tasks.ts";

/** A worker that writes the instructions of this run, and the text of what it wrote. */
export function instructionsTasks(config: AgentConfig): TaskList {
  if (!isInstructionsWorker(config.instructions)) return [];
  const base = refName(config.name);
  const run = {
    prompt: workflowInput("prompt"),
    session_id: workflowInput("session_id"),
    media: workflowInput("media"),
  };
  const agent = {
    name: config.name,
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(config.description === undefined ? {} : { description: config.description }),
    ...(config.metadata === undefined ? {} : { metadata: config.metadata }),
  };
  return [
    simple(`${base}_instructions_worker`, config.instructions._worker_ref, {
      ctx: run,
      context: run,
      agent: literalObject(agent),
      ...run,
      sessionId: workflowInput("session_id"),
    }),
    inline(`${base}_instructions`, scriptOf(readInstructions), {
      worker_output: `\${${base}_instructions_worker.output}`,
    }),
  ];
}
