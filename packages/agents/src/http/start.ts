import { type Api, type Body, invalidInput, json, parseJson, sendValue } from "@downbeat/server";
import { startRequestModel } from "../run/start-request.ts";
import type { Starts } from "../run/starts.ts";
import { startedModel } from "./models.ts";

const body: Body<unknown> = {
  schema: startRequestModel,
  description: "The agent, described or named, and what it is to do",
  required: true,
  read(text) {
    if (typeof text !== "string" || text.trim() === "") throw invalidInput("Start request is required");
    return parseJson(text);
  },
};

/** Starting runs. */
export function startRoutes(api: Api, starts: Starts): void {
  api.post(
    "/agent/start",
    {
      summary: "Run an agent",
      description:
        "A deployed agent by its name, or one that the request describes, which is then deployed. With an idempotencyKey a repeated request answers with the run there is.",
      body,
      answers: { 200: json(startedModel, "Id of the run, and the workers it may need") },
    },
    async ({ body: sent }, reply) => sendValue(reply, await starts.start(startRequestModel(sent, ""))),
  );
}
