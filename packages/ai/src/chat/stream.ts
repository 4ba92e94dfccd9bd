import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { leftOutOf, type Reply } from "./reply.ts";

export type OnToken = (kind: "text" | "reasoning", delta: string) => void;

type Block = { type: "text" | "reasoning"; text: string; providerMetadata?: SharedV4ProviderMetadata };

/** The whole reply at once. */
export async function generate(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Reply> {
  const { content, finishReason, usage, response, warnings } = await model.doGenerate(options);
  return { content, finishReason, usage, responseId: response?.id, leftOut: leftOutOf(warnings) };
}

/** The same reply, told as it comes. */
export async function stream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  onToken: OnToken,
): Promise<Reply> {
  const { stream: parts } = await model.doStream(options);
  const content: LanguageModelV4Content[] = [];
  const blocks = new Map<string, Block>();
  let end: Pick<Reply, "finishReason" | "usage"> | undefined;
  let responseId: string | undefined;
  let leftOut: Reply["leftOut"] = [];
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block: Block = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
        if (part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
        blocks.set(part.id, block);
        content.push(block);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = blocks.get(part.id);
        if (block !== undefined) block.text += part.delta;
        if (block !== undefined && part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
        onToken(part.type === "text-delta" ? "text" : "reasoning", part.delta);
        break;
      }
      case "tool-call":
      case "file":
      case "source":
        content.push(part);
        break;
      case "stream-start":
        leftOut = leftOutOf(part.warnings);
        break;
      case "response-metadata":
        responseId = part.id ?? responseId;
        break;
      case "finish":
        end = { finishReason: part.finishReason, usage: part.usage };
        break;
      case "error":
        throw part.error;
      default:
        // Beginnings and ends of things that come whole later, and pings.
        break;
    }
  }
  if (end === undefined) throw new Error("The stream of the reply ended before the reply did");
  return { content, ...end, responseId, leftOut };
}
