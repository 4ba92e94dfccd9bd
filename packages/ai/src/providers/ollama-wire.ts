import { randomUUID } from "node:crypto";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FilePart,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";

/** A message of Ollama's chat API. */
type WireMessage = {
  readonly role: string;
  readonly content: string;
  readonly images?: readonly string[];
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: unknown } }[];
  readonly tool_name?: string;
};

/** An answer of the chat API, or a piece of one. */
export type WireAnswer = {
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly { readonly function?: { readonly name?: string; readonly arguments?: unknown } }[];
  };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: string;
};

export function toRequest(model: string, options: LanguageModelV4CallOptions, stream: boolean) {
  const tools = (options.tools ?? []).flatMap((tool) =>
    tool.type === "function"
      ? [
          {
            type: "function",
            function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
          },
        ]
      : [],
  );
  return {
    model,
    stream,
    messages: options.prompt.flatMap(toMessages),
    options: {
      num_predict: options.maxOutputTokens,
      temperature: options.temperature,
      top_p: options.topP,
      top_k: options.topK,
      frequency_penalty: options.frequencyPenalty,
      presence_penalty: options.presencePenalty,
      stop: options.stopSequences,
    },
    ...(options.responseFormat?.type === "json" ? { format: "json" } : {}),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

function toMessages(turn: LanguageModelV4Message): WireMessage[] {
  switch (turn.role) {
    case "system":
      return [{ role: "system", content: turn.content }];
    case "user": {
      const content = turn.content
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("\n")
        .trim();
      const images = turn.content.flatMap((part) => (part.type === "file" ? [base64Of(part)] : []));
      return [{ role: "user", content, ...(images.length === 0 ? {} : { images }) }];
    }
    case "assistant": {
      const content = turn.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const calls = turn.content.flatMap((part) =>
        part.type === "tool-call" ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
      );
      return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
    case "tool":
      return turn.content.flatMap((part) =>
        part.type === "tool-result"
          ? [
              {
                role: "tool",
                tool_name: part.toolName,
                content: "value" in part.output ? textOf(part.output.value) : "",
              },
            ]
          : [],
      );
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function base64Of({ data, mediaType }: LanguageModelV4FilePart): string {
  if (data.type !== "data" || !mediaType.startsWith("image/")) {
    throw new Error(`Expected media for Ollama to be images, got ${mediaType}`);
  }
  return typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
}

/** Whole content of an answer. Calls have no id there: each gets one. */
export function toContent({ message = {} }: WireAnswer): LanguageModelV4Content[] {
  return [
    ...(message.thinking ? [{ type: "reasoning" as const, text: message.thinking }] : []),
    ...(message.content ? [{ type: "text" as const, text: message.content }] : []),
    ...toCalls({ message }),
  ];
}

export const toCalls = ({ message }: WireAnswer) =>
  (message?.tool_calls ?? []).map((call) => ({
    type: "tool-call" as const,
    toolCallId: randomUUID(),
    toolName: call.function?.name ?? "",
    input: textOf(call.function?.arguments ?? {}),
  }));

export function toFinish({ done_reason: raw }: WireAnswer): LanguageModelV4FinishReason {
  return { unified: raw === "stop" ? "stop" : raw === "length" ? "length" : "other", raw };
}

export const toUsage = ({ prompt_eval_count: read, eval_count: written }: WireAnswer): LanguageModelV4Usage => ({
  inputTokens: { total: read, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: written, text: undefined, reasoning: undefined },
});
