import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";

/** What a model answered, whether it came whole or token by token. */
export type Reply = {
  readonly content: readonly LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly responseId: string | undefined;
  /** What the library did not send, because the provider would not take it. */
  readonly leftOut: readonly string[];
};

/** In words for people; hints about the library itself are none of theirs. */
export const leftOutOf = (warnings: readonly SharedV4Warning[]): readonly string[] =>
  warnings.flatMap((warning) => {
    if (warning.type !== "unsupported" && warning.type !== "compatibility") return [];
    return [warning.details === undefined ? warning.feature : `${warning.feature} (${warning.details})`];
  });

export const textOf = ({ content }: Reply): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Blocks with a blank line between them; undefined when there are none. */
export function reasoningOf({ content }: Reply): string | undefined {
  const blocks = content.flatMap((part) => (part.type === "reasoning" && part.text !== "" ? [part.text] : []));
  return blocks.length === 0 ? undefined : blocks.join("\n\n");
}

/** The calls that are for us: what the provider ran itself is done. */
export const callsOf = ({ content }: Reply): readonly LanguageModelV4ToolCall[] =>
  content.flatMap((part) => (part.type === "tool-call" && part.providerExecuted !== true ? [part] : []));

export const filesOf = ({
  content,
}: Reply): readonly { readonly data: string | Uint8Array; readonly mimeType: string }[] =>
  content.flatMap((part) =>
    part.type === "file" && part.data.type === "data" ? [{ data: part.data.data, mimeType: part.mediaType }] : [],
  );

const byUnified: Readonly<Record<LanguageModelV4FinishReason["unified"], string | undefined>> = {
  stop: "STOP",
  length: "LENGTH",
  "content-filter": "CONTENT_FILTER",
  "tool-calls": "TOOL_CALLS",
  error: "ERROR",
  interrupted: undefined,
  other: undefined,
};

/** The interface's word for why the model stopped. */
export function finishWord(reply: Reply): string {
  if (callsOf(reply).length > 0) return "TOOL_CALLS";
  const { unified, raw } = reply.finishReason;
  if (raw === "stop_sequence") return "STOP_SEQUENCE";
  return byUnified[unified] ?? (raw === undefined || raw === "" ? "OTHER" : raw.toUpperCase());
}

export function tokensOf({ usage }: Reply) {
  const promptTokens = usage.inputTokens.total ?? 0;
  const completionTokens = usage.outputTokens.total ?? 0;
  const { cacheRead, cacheWrite } = usage.inputTokens;
  return {
    tokenUsed: promptTokens + completionTokens,
    promptTokens,
    completionTokens,
    // Of the prompt's: they have prices of their own.
    ...(cacheRead ? { cacheReadTokens: cacheRead } : {}),
    ...(cacheWrite ? { cacheWriteTokens: cacheWrite } : {}),
  };
}
