import { serveJson } from "./http-server.ts";

/** A server that speaks enough of OpenAI's interface: words as vectors, and a chat that says what it was told. */
export async function serveOpenAi(): Promise<{
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
    if (path === "/v1/responses") return { body: response(JSON.stringify((body as { input: unknown }).input)) };
    return { status: 404, body: { error: { message: path } } };
  });
  return { settings: { "service.ai.openai.api-key": "key", "service.ai.openai.base-url": `${origin}/v1` }, texts };
}

/** Texts that share words are near each other. */
function wordVector(text: string, dimensions: number): number[] {
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
