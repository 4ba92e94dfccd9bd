import {
  type Config,
  checkUrl,
  createGuardedFetch,
  type GuardedFetch,
  OutboundError,
  readAllowList,
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
  const rules = readAllowList(config);
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

/** What the rules refuse is refused the next time too. */
function asTaskError(error: unknown): unknown {
  const isFinal =
    error instanceof OutboundError && (error.failure === "refused" || error.failure === "invalid-request");
  return isFinal ? new TerminalError(error.message) : error;
}
