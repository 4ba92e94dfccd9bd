import {
  addressKind,
  type Config,
  checkUrl,
  createGuardedFetch,
  type FetchRules,
  type GuardedFetch,
  OutboundError,
} from "@downbeat/server";
import { TerminalError } from "../errors.ts";

export type Gate = GuardedFetch & {
  /** Throws when the URL alone shows that it may not be asked; a name may still lead where it may not. */
  readonly check: (url: URL) => void;
};

const CONNECT_MS = 10_000;

/**
 * The way out for calls whose target a definition chooses: MCP servers, API descriptions and the calls made from them,
 * planner documents, base URLs of tasks. Nothing passes that the settings do not name.
 */
export function openGate(config: Config): Gate {
  const rules = allowListRules(config);
  const guarded = createGuardedFetch({
    ...rules,
    connectTimeoutMs: CONNECT_MS,
    readTimeoutMs: config["service.ai.http.read-timeout"],
  });
  return {
    async fetch(input, init) {
      try {
        return await guarded.fetch(input, init);
      } catch (error) {
        throw asTaskError(error);
      }
    },
    check(url) {
      try {
        checkUrl(url, rules);
      } catch (error) {
        throw asTaskError(error);
      }
    },
    close: guarded.close,
  };
}

/** Only origins of the list, and of those only public addresses unless the settings allow others. */
function allowListRules(config: Config): FetchRules {
  const allowed = new Set(config["service.ai.outbound.allowed-origins"].flatMap(originOf));
  const allowsPrivate = config["service.ai.outbound.allow-private-networks"];
  return {
    refuseUrl: ({ origin }) =>
      allowed.has(origin) ? undefined : `${origin} is not in service.ai.outbound.allowed-origins`,
    refuse: ({ url, address }) =>
      allowsPrivate || addressKind(address) === "public" ? undefined : `${url.hostname} resolves to a private address`,
  };
}

/** As the URL parser writes it: lower case, without a default port. What is no origin allows nothing. */
function originOf(text: string): readonly string[] {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? [url.origin] : [];
}

/** What the rules refuse is refused the next time too. */
function asTaskError(error: unknown): unknown {
  const isFinal =
    error instanceof OutboundError && (error.failure === "refused" || error.failure === "invalid-request");
  return isFinal ? new TerminalError(error.message) : error;
}
