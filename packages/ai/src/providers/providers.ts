import type { Config, Logger } from "@downbeat/server";
import { Agent } from "undici";
import { TerminalError } from "../errors.ts";
import { retryingFetch } from "../http/retrying-fetch.ts";
import { Slots } from "../http/slots.ts";
import type { Gate } from "../outbound/gate.ts";
import type { Provider, ProviderSettings } from "./provider.ts";
import { type ConfiguredProvider, isCalled, readProviders } from "./settings.ts";

/** A provider ready to be called. */
export type OpenProvider = Provider & {
  readonly name: string;
  readonly timeoutMs: number;
  /** Calls under way at once. */
  readonly slots: Slots;
  /** Texts that may never be shown. */
  readonly secrets: readonly string[];
};

/** The providers of this server, opened when first asked for. */
export class Providers {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #known: readonly ConfiguredProvider[];
  readonly #open = new Map<string, OpenProvider>();
  readonly #slots = new Map<string, Slots>();
  readonly #agent: Agent;
  /** For base URLs that tasks give. */
  readonly #gate: Gate;

  constructor(config: Config, log: Logger, gate: Gate) {
    this.#config = config;
    this.#log = log;
    this.#known = readProviders(config, log);
    const readTimeoutMs = config["service.ai.http.read-timeout"];
    const limits = { headersTimeout: readTimeoutMs, bodyTimeout: readTimeoutMs };
    const connect = { timeout: config["service.ai.http.connect-timeout"] };
    this.#agent = new Agent({ ...limits, connect });
    this.#gate = gate;
  }

  /** Throws when there is none of this name, or it has no key, or the base URL is not allowed. */
  find(name: string | undefined, baseUrl: string | undefined): OpenProvider {
    if (name === undefined || name.trim() === "") throw new TerminalError("llmProvider not specified: null");
    const known = this.#known.find((provider) => isCalled(provider, name));
    if (known === undefined || !known.kind.isConfigured(withUrl(known, baseUrl))) {
      throw new TerminalError(`No configuration found for: ${name}`);
    }
    if (baseUrl !== undefined) this.#checkBaseUrl(baseUrl);
    // Base URLs of tasks are without number: those are not kept.
    if (baseUrl !== undefined) return this.#openProvider(known, baseUrl);
    let open = this.#open.get(known.settings.name);
    if (open === undefined) {
      open = this.#openProvider(known, undefined);
      this.#open.set(known.settings.name, open);
    }
    return open;
  }

  #slotsOf({ name, maxConcurrentCalls }: ProviderSettings): Slots {
    let slots = this.#slots.get(name);
    if (slots === undefined) {
      slots = new Slots(maxConcurrentCalls || this.#config["service.ai.max-concurrent-calls"]);
      this.#slots.set(name, slots);
    }
    return slots;
  }

  /** As the status route tells it. */
  list(): readonly ConfiguredProvider[] {
    return this.#known;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** A URL that a task gives would receive the server's key: only origins the operator has named do. */
  #checkBaseUrl(baseUrl: string): void {
    const url = URL.parse(baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new TerminalError(`Expected baseUrl to be an http or https URL, got "${baseUrl}"`);
    }
    this.#gate.check(url);
  }

  #send(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
    return fetch(input, { ...init, dispatcher: this.#agent as unknown as NonNullable<RequestInit["dispatcher"]> });
  }

  #openProvider(known: ConfiguredProvider, baseUrl: string | undefined): OpenProvider {
    const { kind } = known;
    const settings = withUrl(known, baseUrl);
    const fetch = retryingFetch({
      maxRetries: this.#config["service.ai.max-retries"],
      send: baseUrl === undefined ? (input, init) => this.#send(input, init) : this.#gate.fetch,
      onRetry: (why, delayMs) => this.#log.debug("Trying a provider again", { provider: settings.name, why, delayMs }),
    });
    return {
      ...kind.open(settings, fetch),
      name: settings.name,
      timeoutMs: settings.timeoutMs,
      slots: this.#slotsOf(settings),
      secrets: [settings.apiKey, ...secretsOf(settings.more)].filter((secret) => secret.length > 3),
    };
  }
}

const withUrl = ({ settings }: ConfiguredProvider, baseUrl: string | undefined) =>
  baseUrl === undefined ? settings : { ...settings, baseUrl };

const secretNames = ["secretKey", "sessionToken", "authHeader", "accessKey"];
const secretsOf = (more: Readonly<Record<string, string>>): string[] => secretNames.map((name) => more[name] ?? "");
