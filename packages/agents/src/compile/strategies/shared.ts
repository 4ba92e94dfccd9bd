import type { JsonObject } from "@downbeat/engine";
import { subAgents } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { addReply, mergeContexts } from "../../scripts/conversation.ts";
import { escapeExpressions, scriptOf } from "../../scripts/script-of.ts";
import { variable } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { inline, type TaskList } from "../tasks.ts";

/** What a strategy compiles to: tasks, and where its answer is. */
export type Orchestration = {
  readonly description: string;
  readonly tasks: TaskList;
  readonly outputParameters: JsonObject;
};

/** How every agent answers: result, how it ended, why it was rejected if it was, and its context. */
export const answer = (result: string, finishReason: string, context: string): JsonObject => ({
  result,
  finishReason,
  rejectionReason: variable("rejectionReason"),
  context,
});

/** What a conversation opens with: who is there, and what the caller asked. */
export function openingOf(config: AgentConfig): string {
  const lines = [config, ...subAgents(config)]
    .filter(({ introduction }) => introduction !== undefined && introduction !== "")
    .map(({ name, introduction }) => `[${name}]: ${escapeExpressions(introduction ?? "")}`);
  return lines.length === 0 ? promptOf(config) : `${lines.join("\n")}\n\n${promptOf(config)}`;
}

export const mergeContextTask = (ref: string, parent: string, child: string): JsonObject =>
  inline(ref, scriptOf(mergeContexts), { parent, child: `\${${child}.output.context}` });

export const addReplyTask = (ref: string, agent: string, reply: string): JsonObject =>
  inline(ref, scriptOf(addReply, { agent }), {
    prev: variable("conversation"),
    response: `\${${reply}.output.result}`,
  });
