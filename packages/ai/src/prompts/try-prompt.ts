import type { JsonObject } from "@downbeat/engine";
import { HttpError, invalidInput } from "@downbeat/server";
import type { AiServices } from "../ai-task.ts";
import { readSampling } from "../chat/chat-input.ts";
import { textOf } from "../chat/reply.ts";
import { generate } from "../chat/stream.ts";
import { fillVariables } from "../chat/variables.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { callProvider } from "../providers/call.ts";

const LONGEST_MS = 120_000;

/** Asks a model with a prompt, outside any execution. A caller's mistake is a 400, a provider's refusal a 502. */
export async function tryPrompt(request: JsonObject, services: AiServices): Promise<string> {
  try {
    return await answer(request, services);
  } catch (error) {
    throw toHttpError(error);
  }
}

const toHttpError = (error: unknown): HttpError =>
  error instanceof TerminalError
    ? invalidInput(error.message)
    : new HttpError(502, messageOf(error), { retryable: true });

async function answer(request: JsonObject, { providers, runtime }: AiServices): Promise<string> {
  const provider = providers.find(input.word(request, "llmProvider"), undefined);
  const { chat } = provider;
  const prompt = input.word(request, "prompt");
  if (prompt === undefined) throw new TerminalError("Expected a prompt, got none");
  if (chat === undefined)
    throw new TerminalError(provider.refusals?.chat ?? "Chat completion is not supported by this provider");
  const { temperature, topP, stop, maxTokens } = readSampling(request);
  const text = fillVariables(prompt, input.object(request, "promptVariables") ?? {});
  const reply = await callProvider({
    provider,
    words: chat.failure,
    signal: AbortSignal.any([runtime.stopping, AbortSignal.timeout(LONGEST_MS)]),
    work: async (abortSignal) =>
      await generate(await chat.model(input.word(request, "model") ?? chat.defaultModel ?? ""), {
        prompt: [{ role: "user", content: [{ type: "text", text }] }],
        maxOutputTokens: maxTokens,
        ...(temperature === undefined ? {} : { temperature }),
        ...(topP === undefined ? {} : { topP }),
        ...(stop.length === 0 ? {} : { stopSequences: [...stop] }),
        abortSignal,
      }),
  });
  return textOf(reply);
}
