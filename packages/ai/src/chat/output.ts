import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { isJsonObject, type Json, type JsonObject, type TaskResult } from "@downbeat/engine";
import type { AiServices } from "../ai-task.ts";
import { RetryLaterError } from "../errors.ts";
import type { MediaItem } from "../media/media-sink.ts";
import { bytesOf } from "../providers/image-model.ts";
import { completed } from "../results.ts";
import type { ToolCall, ToolSpec } from "./messages.ts";
import { callsOf, filesOf, finishWord, type Reply, reasoningOf, textOf, tokensOf } from "./reply.ts";
import { toResult } from "./structured.ts";
import { argumentsOf, keptMetadata, toToolCall } from "./tools.ts";

type Wanted = {
  readonly tools: readonly ToolSpec[];
  readonly jsonOutput: boolean | undefined;
  readonly outputSchema: JsonObject | undefined;
  readonly hasReasoning: boolean;
  readonly tellsResponseId: boolean;
  readonly services: AiServices;
  readonly executionId: string;
  /** What the task's input shows of the conversation. */
  readonly shownInput: NonNullable<TaskResult["input"]>;
};

/** The result of the task. Throws when the reply is not what was asked for. */
export async function toOutput(reply: Reply, wanted: Wanted): Promise<TaskResult> {
  if (isNothing(reply)) throw new Error("No response generated");
  const calls = callsOf(reply);
  const toolCalls: ToolCall[] = [];
  for (const call of calls) toolCalls.push(await checkedCall(call, wanted));
  withThoughts(toolCalls, reply);
  const result = calls.length > 0 ? [] : await checkedResult(reply, wanted);
  const output = {
    result,
    media: await keepFiles(reply, wanted),
    finishReason: finishWord(reply),
    ...tokensOf(reply),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(wanted.tellsResponseId ? { responseId: reply.responseId } : {}),
    ...(wanted.hasReasoning ? { reasoning: reasoningOf(reply) } : {}),
    ...(reply.usage.outputTokens.reasoning ? { reasoningTokens: reply.usage.outputTokens.reasoning } : {}),
  };
  const { shownInput } = wanted;
  return { ...completed(output), ...(Object.keys(shownInput).length === 0 ? {} : { input: shownInput }) };
}

/** Thoughts that are to be shown again go with the first call they led to. */
function withThoughts(toolCalls: ToolCall[], { content }: Reply): void {
  const reasoning = content.flatMap((part) => {
    const kept = part.type === "reasoning" ? keptMetadata(part.providerMetadata) : undefined;
    return part.type === "reasoning" && kept !== undefined ? [{ text: part.text, providerMetadata: kept }] : [];
  });
  const [first] = toolCalls;
  if (first !== undefined && reasoning.length > 0) toolCalls[0] = { ...first, reasoning };
}

const isNothing = ({ content, finishReason }: Reply): boolean =>
  content.length === 0 && finishReason.unified !== "stop" && finishReason.unified !== "length";

async function checkedResult(reply: Reply, { jsonOutput, outputSchema, services }: Wanted): Promise<Json> {
  const result = toResult(textOf(reply), jsonOutput);
  if (outputSchema === undefined) return result;
  const violation = await services.runtime.schemas.check(outputSchema, result);
  if (violation === undefined) return result;
  const message = `Output does not confirm to the schema.  errors: Schema validation failed ${violation}`;
  // The model may well do better the next time, and waiting does not help it.
  throw new RetryLaterError(message, 0);
}

/** Arguments as the tool's schema has them: read deeply where that fits, as they were written where only that does. */
async function checkedCall(call: LanguageModelV4ToolCall, { tools, services }: Wanted): Promise<ToolCall> {
  const deep = argumentsOf(call.input);
  const schema = tools.find(({ name }) => name === call.toolName)?.inputSchema;
  if (schema === undefined) return toToolCall(call, deep, tools);
  const violation = await services.runtime.schemas.check(schema, deep);
  if (violation === undefined) return toToolCall(call, deep, tools);
  const written = parseObject(call.input);
  if (written !== undefined && (await services.runtime.schemas.check(schema, written)) === undefined) {
    return toToolCall(call, written, tools);
  }
  throw new Error(`Arguments for tool "${call.toolName}" do not fit its inputSchema: ${violation}`);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Unparsable arguments count as none; the schema has said what is missing.
    return undefined;
  }
}

async function keepFiles(reply: Reply, { services, executionId }: Wanted): Promise<readonly MediaItem[]> {
  return await Promise.all(
    filesOf(reply).map(({ data, mimeType }) => services.media.put(bytesOf(data), mimeType, executionId)),
  );
}
