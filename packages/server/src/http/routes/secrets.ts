import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, type Body, json, nothing, plainText } from "../api.ts";
import { HttpError, invalidInput, notFound } from "../errors.ts";
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
      answers: { 200: plainText("The value") },
    },
    ({ params: { key } }, reply) => {
      assertKey(key);
      const value = secrets.find(key);
      if (value === undefined) throw notFound(`No such secret found by name: ${key}`);
      if (!config["service.secrets.allow-read"])
        throw new HttpError(403, "Values of secrets are not told: service.secrets.allow-read is false");
      return sendText(reply, value);
    },
  );

  const assertWritable = (): void => {
    if (secrets.refusal !== undefined) throw new HttpError(501, secrets.refusal);
  };

  api.put(
    "/secrets/:key",
    {
      summary: "Store a secret",
      description:
        "Any content type; the body is the value, and a JSON string sent as JSON is what it stands for. It replaces the one there is.",
      body: valueBody,
      answers: { 200: nothing("Stored") },
    },
    async ({ params: { key }, body, contentType }, reply) => {
      const value = sentValue(body, contentType);
      assertKey(key);
      if (value === "") throw invalidInput("value is required");
      if (value.length > LONGEST) throw invalidInput(`value must be at most ${LONGEST} characters`);
      assertWritable();
      await secrets.put(key, value);
      return reply.send();
    },
  );

  api.delete(
    "/secrets/:key",
    { summary: "Forget a secret", answers: { 200: nothing("It is not there") } },
    async ({ params: { key } }, reply) => {
      assertKey(key);
      assertWritable();
      await secrets.remove(key);
      return reply.send();
    },
  );

  api.get(
    "/secrets/:key/exists",
    {
      summary: "Whether there is such a secret",
      answers: { 200: json({ type: "boolean" }, "True or false") },
    },
    ({ params: { key } }, reply) => {
      assertKey(key);
      return sendValue(reply, secrets.find(key) !== undefined);
    },
  );
}

/** Some clients send the value as a JSON string, and say so. */
function sentValue(body: string, contentType = ""): string {
  if (!contentType.includes("json") || !body.startsWith('"')) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "string" ? value : body;
  } catch {
    // Not JSON after all: the value as it was sent.
    return body;
  }
}

function assertKey(key: string): void {
  if (key.trim() === "") throw invalidInput("key must not be blank");
  if (key.length > LONGEST) throw invalidInput(`key must be at most ${LONGEST} characters`);
  if (!/^[a-zA-Z0-9_-]+$/.test(key))
    throw invalidInput("key must match pattern [a-zA-Z0-9_-]+ (alphanumeric, underscore, dash only)");
}
