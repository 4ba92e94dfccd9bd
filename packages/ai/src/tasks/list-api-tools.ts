import type { JsonObject, TaskResult } from "@downbeat/engine";
import type { AiTask } from "../ai-task.ts";
import { findSpec } from "../api-tools/find-spec.ts";
import { readOpenApi } from "../api-tools/openapi.ts";
import { readPostman } from "../api-tools/postman.ts";
import type { ApiDescription } from "../api-tools/tool.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { readHeaders } from "../outbound/headers.ts";
import { checkNesting } from "../outbound/nesting.ts";
import { completed, failed } from "../results.ts";

/** LIST_API_TOOLS: the operations of an API that describes itself: OpenAPI, Swagger, Postman. */
export const listApiTools: AiTask = {
  type: "LIST_API_TOOLS",
  retriesByDefault: false,
  prefixesReasons: false,
  async run({ input: from, signal }, { tools }) {
    const specUrl = input.word(from, "specUrl");
    if (specUrl === undefined) return refused("Missing required input parameter 'specUrl'");
    const url = URL.parse(specUrl);
    if (url === null) throw new TerminalError(`Expected specUrl to be an http or https URL, got "${specUrl}"`);
    try {
      const spec = await findSpec({
        url,
        headers: readHeaders(input.object(from, "headers")),
        fetch: tools.gate.fetch,
        signal,
      });
      if (spec === undefined) {
        return refused(`Could not retrieve a valid API spec from ${specUrl} (also tried well-known paths)`);
      }
      checkNesting(spec);
      const description = readSpec(spec, url);
      return description === undefined
        ? refused(`Unrecognised API spec format from ${specUrl}`)
        : completed(description);
    } catch (error) {
      if (error instanceof TerminalError || signal.aborted) throw error;
      return refused(`Error processing API spec: ${messageOf(error)}`);
    }
  },
};

function readSpec(spec: JsonObject, url: URL): ApiDescription | undefined {
  if (typeof spec["openapi"] === "string" || typeof spec["swagger"] === "string") return readOpenApi(spec, url);
  return Array.isArray(spec["item"]) ? readPostman(spec) : undefined;
}

/** The reason stands in the output too, for agents that read on. */
const refused = (reason: string): TaskResult => failed(reason, { error: reason });
