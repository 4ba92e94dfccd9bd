import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isJsonObject } from "@downbeat/engine";
import { TerminalError } from "../errors.ts";
import type { DocumentLoader } from "../media/document-loader.ts";
import { mimeTypeOf } from "../media/mime-types.ts";
import { shownInput } from "./history.ts";
import type { Message, ToolCall } from "./messages.ts";

const ANY_TYPE = "application/octet-stream";

type Options = {
  readonly documents: DocumentLoader;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whose files of the file store may be shown. */
  readonly executionId: string;
  /** Several system texts become one, before everything else. */
  readonly hasOneSystemText: boolean;
  /** The provider keeps the calls that tool results answer: they need not be shown again. */
  readonly isChained: boolean;
};

/** Messages of earlier turns are the same objects in every turn: what was made of them is kept, but for files. */
const knownTurns = new WeakMap<Message, LanguageModelV4Message>();

/** The conversation as the model libraries take it, with media loaded. */
export async function toPrompt(messages: readonly Message[], options: Options): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Message[] = [];
  const files = new FileLoader(options);
  for (const message of options.isChained ? messages : pairCalls(messages)) {
    const turn = knownTurns.get(message) ?? (await toTurn(message, files));
    if (turn !== undefined) prompt.push(turn);
  }
  return options.hasOneSystemText ? joinSystem(prompt) : prompt;
}

async function toTurn(message: Message, loader: FileLoader): Promise<LanguageModelV4Message | undefined> {
  const turn = await makeTurn(message, loader);
  if (turn !== undefined && message.media === undefined) knownTurns.set(message, turn);
  return turn;
}

async function makeTurn(message: Message, loader: FileLoader): Promise<LanguageModelV4Message | undefined> {
  const { role, message: text = "", toolCalls = [] } = message;
  switch (role) {
    case "system":
      return text.trim() === "" ? undefined : { role, content: text };
    case "user": {
      const files = await loader.loadAll(message);
      const words = text.trim() === "" ? [] : [{ type: "text" as const, text }];
      return { role, content: [...words, ...files] };
    }
    case "assistant":
      return text.trim() === "" ? undefined : { role, content: [{ type: "text", text }] };
    case "tool_call":
      return { role: "assistant", content: [...toolCalls.flatMap(toThoughts), ...toolCalls.map(toCallPart)] };
    case "tool":
      return { role, content: toolCalls.map(toResultPart) };
  }
}

const toThoughts = ({ reasoning = [] }: ToolCall) =>
  reasoning.map(({ text, providerMetadata }) => ({
    type: "reasoning" as const,
    text,
    providerOptions: providerMetadata as SharedV4ProviderOptions,
  }));

const toCallPart = (call: ToolCall) => ({
  type: "tool-call" as const,
  toolCallId: call.taskReferenceName,
  toolName: sentName(call),
  input: shownInput(call.inputParameters),
  ...(call.providerMetadata === undefined ? {} : { providerOptions: call.providerMetadata as SharedV4ProviderOptions }),
});

const toResultPart = (call: ToolCall) => ({
  type: "tool-result" as const,
  toolCallId: call.taskReferenceName,
  toolName: sentName(call),
  output: { type: "json" as const, value: (call.output ?? null) as JSONValue },
});

/** A call wrapped into another task names its tool inside the input. The method of an HTTP request names none. */
function sentName({ name, inputParameters }: ToolCall): string {
  for (const [key, value] of Object.entries(inputParameters)) {
    if (key !== "http_request" && isJsonObject(value) && typeof value["method"] === "string") return value["method"];
  }
  return name;
}

/** Providers refuse a call without its result, and a result without its call: the first is dropped, the second gets one. */
function pairCalls(messages: readonly Message[]): readonly Message[] {
  const answered = new Set(messages.filter(({ role }) => role === "tool").flatMap(idsOf));
  const called = new Set<string>();
  return messages.flatMap((message): Message[] => {
    const { role, toolCalls = [] } = message;
    if (role === "tool_call") {
      const kept = toolCalls.filter(({ taskReferenceName }) => answered.has(taskReferenceName));
      for (const { taskReferenceName } of kept) called.add(taskReferenceName);
      if (kept.length === toolCalls.length) return [message];
      return kept.length === 0 ? [] : [{ ...message, toolCalls: kept }];
    }
    if (role !== "tool") return [message];
    const lone = toolCalls.filter(({ taskReferenceName }) => !called.has(taskReferenceName));
    for (const { taskReferenceName } of lone) called.add(taskReferenceName);
    return lone.length === 0 ? [message] : [{ role: "tool_call", toolCalls: lone }, message];
  });
}

const idsOf = ({ toolCalls = [] }: Message): readonly string[] =>
  toolCalls.map(({ taskReferenceName }) => taskReferenceName);

function joinSystem(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Prompt {
  const texts = prompt.flatMap((turn) => (turn.role === "system" ? [turn.content] : []));
  const others = prompt.filter(({ role }) => role !== "system");
  return texts.length === 0 ? others : [{ role: "system", content: texts.join("\n") }, ...others];
}

/** Loads the media of a conversation one after the other: together they may be as large as one document. */
class FileLoader {
  readonly #options: Options;
  #bytes = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async loadAll({ media = [], mimeType }: Message): Promise<readonly LanguageModelV4FilePart[]> {
    const files: LanguageModelV4FilePart[] = [];
    for (const item of media) {
      const { bytes, mediaType } = await toFile(item, mimeType, this.#options);
      this.#count(bytes);
      files.push({ type: "file", data: { type: "data", data: new Uint8Array(bytes) }, mediaType });
    }
    return files;
  }

  #count({ length }: Uint8Array): void {
    const { maxBytes } = this.#options.documents;
    this.#bytes += length;
    if (this.#bytes > maxBytes) {
      throw new TerminalError(
        `Expected the media of a conversation to be at most ${maxBytes} bytes together, got at least ${this.#bytes}: show fewer, or raise service.documents.max-size`,
      );
    }
  }
}

type File = { readonly bytes: Uint8Array; readonly mediaType: string };

/** A data URI, a location to load, or base64 text: bytes in any case, for a provider never gets a URL. */
async function toFile(item: string, mimeType: string | undefined, options: Options): Promise<File> {
  const inline = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(item);
  if (inline !== null) {
    const [, type = "", data = ""] = inline;
    const bytes = /;base64,/i.test(item.slice(0, 200))
      ? Buffer.from(data, "base64")
      : Buffer.from(decodeURIComponent(data));
    return { bytes, mediaType: type === "" ? (mimeType ?? ANY_TYPE) : type };
  }
  if (isLocation(item, options.documents)) {
    const { bytes, mimeType: told } = await options.documents.load(item, options);
    return { bytes, mediaType: mimeType ?? mimeTypeOf(item) ?? told ?? ANY_TYPE };
  }
  if (mimeType === undefined) throw new Error("Expected media in base64 to come with a mimeType, got none");
  return { bytes: Buffer.from(item, "base64"), mediaType: mimeType };
}

/** Base64 has slashes too, but no scheme, and neither begins with `./` nor ends like a file. */
const isLocation = (item: string, documents: DocumentLoader): boolean =>
  /^(https?|file):/i.test(item) ||
  documents.isFileHandle(item) ||
  (/^\.{0,2}\//.test(item) === true && mimeTypeOf(item) !== undefined);
