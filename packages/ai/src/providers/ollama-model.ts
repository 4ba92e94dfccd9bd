import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { readAnswer, readJsonAnswer } from "./answers.ts";
import { toCalls, toContent, toFinish, toRequest, toUsage, type WireAnswer } from "./ollama-wire.ts";

export type OllamaOptions = {
  /** Ends in /api. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
};

const API = "Ollama API failed with status";

/** Ollama's chat API as a model. Ours because the libraries there are send its sampling settings where it reads none. */
export function ollamaModel(options: OllamaOptions, modelId: string): LanguageModelV4 {
  const chat = (call: LanguageModelV4CallOptions, stream: boolean) =>
    post(options, "/chat", toRequest(modelId, call, stream), call.abortSignal);
  return {
    specificationVersion: "v4",
    provider: "ollama",
    modelId,
    supportedUrls: {},
    async doGenerate(call) {
      const answer = await readJsonAnswer<WireAnswer>(await chat(call, false), API);
      return { content: toContent(answer), finishReason: toFinish(answer), usage: toUsage(answer), warnings: [] };
    },
    async doStream(call) {
      const response = await chat(call, true);
      if (!response.ok || response.body === null) await readAnswer(response, API);
      return { stream: ReadableStream.from(parts(response)) };
    },
  };
}

export const ollamaEmbeddings = (options: OllamaOptions, modelId: string): EmbeddingModelV4 => ({
  specificationVersion: "v4",
  provider: "ollama",
  modelId,
  maxEmbeddingsPerCall: 2048,
  supportsParallelCalls: true,
  async doEmbed({ values, abortSignal }) {
    const response = await post(options, "/embed", { model: modelId, input: values }, abortSignal);
    const { embeddings = [] } = await readJsonAnswer<{ readonly embeddings?: number[][] }>(response, API);
    return { embeddings, warnings: [] };
  },
});

const post = (
  { url, headers, fetch }: OllamaOptions,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Response> =>
  fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

/** One JSON object a line, the last with the counts. */
async function* parts(response: Response): AsyncGenerator<LanguageModelV4StreamPart> {
  let open: "text" | "reasoning" | undefined;
  let last: WireAnswer = {};
  for await (const line of linesOf(response)) {
    const answer = JSON.parse(line) as WireAnswer;
    if (answer.error !== undefined) throw new Error(answer.error);
    last = answer;
    for (const [kind, delta] of [
      ["reasoning", answer.message?.thinking],
      ["text", answer.message?.content],
    ] as const) {
      if (delta === undefined || delta === "") continue;
      if (open !== kind) yield { type: `${kind}-start`, id: kind };
      open = kind;
      yield { type: `${kind}-delta`, id: kind, delta };
    }
    yield* toCalls(answer);
  }
  if (last.done !== true) throw new Error("The stream of the reply ended before the reply did");
  yield { type: "finish", finishReason: toFinish(last), usage: toUsage(last) };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new TextDecoderStream(),
  )) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
  }
  if (rest.trim() !== "") yield rest;
}
