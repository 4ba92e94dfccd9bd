import { serveJson } from "./http-server.ts";

/**
 * A server that speaks enough of the interfaces of OpenAI and Anthropic: words as vectors, and a chat that says what
 * `reply` gives, or else what it was told.
 */
export async function serveOpenAi(reply = (told: string): string => told): Promise<{
  readonly settings: Record<string, string>;
  readonly texts: readonly string[];
}> {
  const texts: string[] = [];
  const origin = await serveJson(({ path, body }) => {
    if (path === "/v1/embeddings") {
      const { input, dimensions = 256 } = body as { input: string[]; dimensions?: number };
      texts.push(...input);
      return {
        body: {
          object: "list",
          model: "words",
          data: input.map((text, index) => ({ object: "embedding", index, embedding: wordVector(text, dimensions) })),
          usage: { prompt_tokens: 1, total_tokens: 1 },
        },
      };
    }
    if (path === "/v1/responses") return { body: response(reply(JSON.stringify(body))) };
    if (path === "/v1/messages") return { body: message(reply(JSON.stringify(body))) };
    return { status: 404, body: { error: { message: path } } };
  });
  const settings = {
    "service.ai.openai.api-key": "key",
    "service.ai.openai.base-url": `${origin}/v1`,
    "service.ai.anthropic.api-key": "key",
    "service.ai.anthropic.base-url": origin,
  };
  return { settings, texts };
}

/** Texts that share words are near each other. */
export function wordVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]{3,}/g) ?? []) {
    let hash = 7;
    for (const char of word.slice(0, 6)) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
  }
  return vector;
}

const response = (text: string) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-4o-mini",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
});

const message = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
});
