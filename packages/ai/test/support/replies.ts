import type { Answer } from "./local-provider.ts";

/** Answers in the wire formats of the providers, as small as each allows. */

export const openaiResponse = (text: string, more: Record<string, unknown> = {}): Answer => ({
  json: {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    model: "gpt-4o-mini",
    status: "completed",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
    ...more,
  },
});

export const openaiCalls = (...calls: readonly { id: string; name: string; args: string }[]): Answer =>
  openaiResponse("", {
    output: calls.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: args,
      status: "completed",
    })),
  });

export const anthropicMessage = (text: string, more: Record<string, unknown> = {}): Answer => ({
  json: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-20250514",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
    ...more,
  },
});

export const geminiContent = (text: string, parts: readonly unknown[] = [{ text }]): Answer => ({
  json: {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: "gemini-2.5-flash",
  },
});

export const chatCompletion = (text: string, more: Record<string, unknown> = {}): Answer => ({
  json: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_760_000_000,
    model: "a-model",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    ...more,
  },
});

export const bedrockConverse = (text: string): Answer => ({
  json: {
    output: { message: { role: "assistant", content: [{ text }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
    metrics: { latencyMs: 5 },
  },
});

export const cohereChat = (text: string): Answer => ({
  json: {
    id: "c1",
    finish_reason: "COMPLETE",
    message: { role: "assistant", content: [{ type: "text", text }] },
    usage: { billed_units: { input_tokens: 11, output_tokens: 7 }, tokens: { input_tokens: 11, output_tokens: 7 } },
  },
});

export const ollamaChat = (text: string): Answer => ({
  json: {
    model: "llama3.2",
    created_at: "2026-01-01T00:00:00Z",
    message: { role: "assistant", content: text },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 11,
    eval_count: 7,
  },
});
