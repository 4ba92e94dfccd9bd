import type { FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, type Body, json, nothing, plainText } from "../api.ts";
import { HttpError } from "../errors.ts";
import { listOf, secretInfoModel, texts } from "../models.ts";
import { sendText, sendValue } from "../reply.ts";

const LONGEST = 65_535;

/** The raw value, whatever the content type says. */
const valueBody: Body<string> = {
  schema: { type: "string" },
  description: `The value as it is, ${LONGEST} characters at most`,
  required: true,
  contentType: "text/plain",
  read: (body) => (typeof body === "string" ? body : ""),
};

/** Secrets by name. Values go in; they come out only where an operator allowed it. */
export function secretRoutes(api: Api, { secrets, config }: Runtime): void {
  const names = { summary: "Names of secrets; their values are not told", answers: { 200: json(texts, "Sorted") } };
  api.get("/secrets", names, (_call, reply) => sendValue(reply, secrets.names()));
  api.post("/secrets", names, (_call, reply) => sendValue(reply, secrets.names()));

  api.get(
    "/secrets/v2",
    { summary: "Secrets without their values", answers: { 200: json(listOf(secretInfoModel), "By name") } },
    (_call, reply) =>
      sendValue(
        reply,
        secrets.list().map((info) => ({ ...info, partial: "..." })),
      ),
  );

  api.get(
    "/secrets/:key",
    {
      summary: "A secret's value",
      description: "Only where `service.secrets.allow-read` is true.",
      answers: { 200: plainText("The value"), 400: plainText("What is wrong"), 404: nothing("There is none") },
    },
    ({ params: { key } }, reply) => {
      const problem = problemOf(key);
      if (problem !== undefined) return refuse(reply, 400, problem);
      const value = secrets.find(key);
      if (value === undefined) return reply.code(404).send();
      if (!config["service.secrets.allow-read"])
        throw new HttpError(403, "Values of secrets are not told: service.secrets.allow-read is false");
      return sendText(reply, value);
    },
  );

  const refusals = { 400: plainText("What is wrong"), 501: plainText("This store cannot be written to") };

  api.put(
    "/secrets/:key",
    {
      summary: "Store a secret",
      description:
        "Any content type; the body is the value, and a JSON string sent as JSON is what it stands for. It replaces the one there is.",
      body: valueBody,
      answers: { 200: nothing("Stored"), ...refusals },
    },
    async ({ params: { key }, body, request }, reply) => {
      const value = sentValue(body, request);
      const problem = problemOf(key) ?? (value === "" ? "value is required" : undefined);
      if (problem !== undefined) return refuse(reply, 400, problem);
      if (value.length > LONGEST) return refuse(reply, 400, `value must be at most ${LONGEST} characters`);
      if (secrets.refusal !== undefined) return refuse(reply, 501, secrets.refusal);
      await secrets.put(key, value);
      return reply.send();
    },
  );

  api.delete(
    "/secrets/:key",
    { summary: "Forget a secret", answers: { 200: nothing("It is not there"), ...refusals } },
    async ({ params: { key } }, reply) => {
      const problem = problemOf(key);
      if (problem !== undefined) return refuse(reply, 400, problem);
      if (secrets.refusal !== undefined) return refuse(reply, 501, secrets.refusal);
      await secrets.remove(key);
      return reply.send();
    },
  );

  api.get(
    "/secrets/:key/exists",
    {
      summary: "Whether there is such a secret",
      answers: { 200: json({ type: "boolean" }, "True or false"), 400: refusals[400] },
    },
    ({ params: { key } }, reply) => {
      const problem = problemOf(key);
      return problem === undefined ? sendValue(reply, secrets.find(key) !== undefined) : refuse(reply, 400, problem);
    },
  );
}

/** Some clients send the value as a JSON string, and say so. */
function sentValue(body: string, { headers }: FastifyRequest): string {
  if (headers["content-type"]?.includes("json") !== true || !body.startsWith('"')) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "string" ? value : body;
  } catch {
    // Not JSON after all: the value as it was sent.
    return body;
  }
}

/** Clients read these as plain text, not as the error body. */
const refuse = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  sendText(reply.code(status), message);

function problemOf(key: string): string | undefined {
  if (key.trim() === "") return "key must not be blank";
  if (key.length > LONGEST) return `key must be at most ${LONGEST} characters`;
  if (!/^[a-zA-Z0-9_-]+$/.test(key))
    return "key must match pattern [a-zA-Z0-9_-]+ (alphanumeric, underscore, dash only)";
  return undefined;
}
