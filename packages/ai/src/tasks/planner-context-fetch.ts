import type { AiTask } from "../ai-task.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { readHeaders, withoutValues } from "../outbound/headers.ts";
import { completed, failed } from "../results.ts";

const TTL_SECONDS = 60;

/** PLANNER_CONTEXT_FETCH: a document for a planner, from a cache where that is fresh enough. */
export const plannerContextFetch: AiTask = {
  type: "PLANNER_CONTEXT_FETCH",
  retriesByDefault: false,
  prefixesReasons: false,
  async run({ input: from, signal }, { tools }) {
    const url = input.word(from, "url");
    if (url === undefined) return failed("Missing required input parameter 'url'", {});
    const headers = readHeaders(input.object(from, "headers"));
    const isRequired = input.flag(from, "required") ?? true;
    const ttlMs = (input.number(from, "ttl_seconds") ?? TTL_SECONDS) * 1000;
    const without = (statusCode: number) => completed({ response: { body: "", statusCode }, cache_hit: false });
    try {
      const { body, statusCode, isHit } = await tools.planner.load({ url, headers, ttlMs, signal });
      if (statusCode >= 200 && statusCode < 300) return completed({ response: { body, statusCode }, cache_hit: isHit });
      return isRequired
        ? failed(`PLANNER_CONTEXT_FETCH ${url} returned status ${statusCode}`, {})
        : without(statusCode);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isRequired) return without(0);
      const reason = withoutValues(`PLANNER_CONTEXT_FETCH ${url} failed: ${messageOf(error)}`, headers);
      if (error instanceof TerminalError) throw new TerminalError(reason, { cause: error });
      return failed(reason, {});
    }
  },
};
