import type { OutsideCall } from "@downbeat/server";
import type { AiServices } from "../ai-task.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { retryingFetch } from "../http/retrying-fetch.ts";
import { input } from "../input.ts";
import { readHeaders, withoutValues } from "../outbound/headers.ts";
import type { McpServer } from "./mcp-client.ts";

type Question<Answer> = {
  readonly ask: (server: McpServer) => Promise<Answer>;
  /** What a failure is told as. */
  readonly failed: (url: string, error: Error) => string;
};

/** Asks the server a task's input names. What the gate refuses is refused for good; other failures may pass. */
export async function askServer<Answer>(
  { input: from, signal }: OutsideCall,
  { config, tools }: AiServices,
  { ask, failed }: Question<Answer>,
): Promise<Answer> {
  const text = input.word(from, "mcpServer");
  if (text === undefined) throw new TerminalError("Missing required input parameter 'mcpServer'");
  const url = URL.parse(text);
  if (url === null) throw new TerminalError(`Expected mcpServer to be an http or https URL, got "${text}"`);
  const shown = `${url.origin}${url.pathname}`;
  const headers = readHeaders(input.object(from, "headers"));
  // A tool may not be called twice for want of an answer.
  const fetch = retryingFetch({
    maxRetries: config["service.ai.max-retries"],
    send: tools.gate.fetch,
    repeats: "unsent",
  });
  try {
    return await ask({ url, headers, fetch, timeoutMs: config["service.ai.http.read-timeout"], signal });
  } catch (error) {
    if (error instanceof TerminalError || signal.aborted) throw error;
    const failure = error instanceof Error ? error : new Error(messageOf(error));
    // Without its cause, which may show what is masked here.
    throw failureOf(withoutValues(failed(shown, failure), headers));
  }
}

const failureOf = (message: string): Error => new Error(message);
