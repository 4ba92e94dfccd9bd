import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { GuardedFetch } from "@downbeat/server";
import { checkAgentUrl } from "./agent-fetch.ts";
import { AgentFailure, refusal, textOfError } from "./failure.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const BODY_SHOWN = 500;
/** JSON-RPC errors that the same call gets again. */
const lasting: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32001, -32002, -32003, -32004, -32005, -32007,
]);

/** A remote agent that speaks A2A. What it answers comes from a stranger: it is bounded, and never followed elsewhere. */
export class RemoteAgent {
  readonly #send: GuardedFetch["fetch"];
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(
    send: GuardedFetch["fetch"],
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) {
    this.#send = send;
    this.url = url;
    this.#headers = headers;
    this.#signal = signal;
  }

  /** One call of JSON-RPC. */
  async call(method: string, params: JsonObject): Promise<JsonObject> {
    const response = await this.#post(method, params, "application/json");
    return this.#result(method, parse(await textOf(response)));
  }

  /** The answers of a stream, until it ends. */
  async *stream(method: string, params: JsonObject): AsyncGenerator<JsonObject> {
    const response = await this.#post(method, params, "text/event-stream");
    if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) {
      yield this.#result(method, parse(await textOf(response)));
      return;
    }
    for await (const data of eventsOf(response)) yield this.#result(method, parse(data));
  }

  /** The agent's card: at the address itself when that is a file, else at the well-known places below it. */
  async card(): Promise<JsonObject> {
    const base = this.url.replace(/\/+$/, "");
    const places = this.url.endsWith(".json")
      ? [this.url]
      : [`${base}/.well-known/agent-card.json`, `${base}/.well-known/agent.json`];
    for (const place of places.slice(0, -1)) {
      const response = await this.#fetch(place, { headers: { accept: "application/json", ...this.#headers } });
      if (response.ok) return parse(await textOf(response));
      await response.body?.cancel();
    }
    const last = places.at(-1) ?? this.url;
    const response = await this.#fetch(last, { headers: { accept: "application/json", ...this.#headers } });
    if (!response.ok) throw await this.#httpFailure("agent card", last, response);
    return parse(await textOf(response));
  }

  /** Where the agent listens: a card that is named instead says so. */
  async endpoint(): Promise<string> {
    if (!this.url.endsWith(".json")) return this.url;
    const { url } = await this.card();
    return typeof url === "string" ? (URL.parse(url, this.url)?.href ?? url) : "";
  }

  /** Hides what the headers held, should an answer repeat it. */
  masked(text: string): string {
    return Object.values(this.#headers)
      .flatMap((value) => [value, value.replace(/^\S+ /, "")])
      .filter((value) => value.length >= 6)
      .reduce((shown, value) => shown.replaceAll(value, "***"), text);
  }

  async #post(method: string, params: JsonObject, accept: string): Promise<Response> {
    const response = await this.#fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept, ...this.#headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    if (!response.ok) throw await this.#httpFailure(method, this.url, response);
    return response;
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    return await this.#send(checkAgentUrl(url), { ...init, signal: this.#signal });
  }

  async #httpFailure(operation: string, url: string, response: Response): Promise<AgentFailure> {
    const { status } = response;
    const body = await textOf(response).catch(() => "");
    const message = `HTTP ${status} from A2A agent (${operation} ${url}): ${body.slice(0, BODY_SHOWN)}`;
    return new AgentFailure(this.masked(message), { isTerminal: status !== 408 && status !== 429 && status < 500 });
  }

  #result(operation: string, answer: JsonObject): JsonObject {
    const { error, result } = answer;
    if (isJsonObject(error)) {
      const code = Number(error["code"]);
      const data = error["data"] === undefined || error["data"] === null ? "" : ` ${textOfJson(error["data"])}`;
      const said = `${textOfJson(error["message"] ?? "")}${data}`;
      const message = `A2A JSON-RPC error ${code} from ${this.url} (${operation}): ${said}`;
      throw new AgentFailure(this.masked(message), { isTerminal: lasting.has(code) });
    }
    if (!isJsonObject(result)) throw new Error(`Expected a result from ${this.url} (${operation}), got none`);
    return result;
  }
}

const textOfJson = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
    // What cannot be written again cannot be stored.
    JSON.stringify(value);
  } catch (error) {
    throw new Error(`Expected JSON from the agent: ${textOfError(error)}`, { cause: error });
  }
  if (!isJsonObject(value as Json)) throw new Error("Expected a JSON object from the agent");
  return value as JsonObject;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(response)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* bounded({ body }: Response): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw refusal("The agent's answer exceeds the 10 MiB payload limit");
    yield chunk;
  }
}

/** The data of server-sent events. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bounded(response)) {
    rest = (rest + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n");
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""));
      if (data.length > 0) yield data.join("\n");
    }
  }
}
