import type { JsonObject } from "@downbeat/engine";
import { shortKey } from "../../events/records.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { refusalOf } from "../../webhooks/verify.ts";
import { type NamedWebhook, type Webhook, webhookModel, webhookProblems } from "../../webhooks/webhook.ts";
import { Webhooks, webhookEvent, webhookPayload } from "../../webhooks/webhooks.ts";
import { type Api, type Body, json, nothing } from "../api.ts";
import { jsonBody } from "../body.ts";
import { assertValid, conflict, HttpError, notFound } from "../errors.ts";
import { listOf, webhookReceiptModel } from "../models.ts";
import { sendValue } from "../reply.ts";

/** Requests may hold anything: what is signed is the text as it came. */
const anyBody: Body<string> = {
  schema: {},
  description: "What happened, in the words of whoever sends it",
  required: false,
  read: (body) => (typeof body === "string" ? body : ""),
};

/** Webhooks that others call, and the calls themselves. */
export function webhookRoutes(api: Api, runtime: Runtime): void {
  const webhooks = new Webhooks(runtime.store);
  const noSuchWebhook = (name: string) => notFound(`Webhook with name ${name} not found!`);

  const found = async (name: string): Promise<NamedWebhook> => {
    const webhook = await webhooks.find(name);
    if (webhook === undefined) throw noSuchWebhook(name);
    return webhook;
  };

  api.get(
    "/webhooks",
    { summary: "All webhooks", answers: { 200: json(listOf(webhookModel), "By name") } },
    async (_call, reply) => sendValue(reply, await webhooks.all()),
  );

  api.get(
    "/webhooks/:webhook",
    { summary: "One webhook", answers: { 200: json(webhookModel, "The webhook") } },
    async ({ params: { webhook: name } }, reply) => sendValue(reply, await found(name)),
  );

  api.post(
    "/webhooks",
    {
      summary: "Create a webhook",
      body: jsonBody(webhookModel, "The webhook"),
      answers: { 200: nothing("Created") },
    },
    async ({ body }, reply) => {
      const webhook = validated(webhookModel(body, ""));
      if (!(await webhooks.put(webhook, true))) throw conflict(`Webhook with name ${webhook.name} already exists!`);
      return reply.send();
    },
  );

  api.put(
    "/webhooks",
    {
      summary: "Replace a webhook",
      body: jsonBody(webhookModel, "The webhook"),
      answers: { 200: nothing("Replaced") },
    },
    async ({ body }, reply) => {
      const webhook = validated(webhookModel(body, ""));
      await found(webhook.name);
      await webhooks.put(webhook, false);
      return reply.send();
    },
  );

  api.delete(
    "/webhooks/:webhook",
    { summary: "Delete a webhook", answers: { 200: nothing("Deleted") } },
    async ({ params: { webhook: name } }, reply) => {
      await found(name);
      await webhooks.remove(name);
      return reply.send();
    },
  );

  api.withRequest(
    "POST",
    "/webhook/:webhook",
    {
      summary: "Report something to a webhook",
      description:
        "Checked against the webhook's secret; then the message goes to the handlers of the event `webhook:<name>`. The answer comes when what they do is on disk.",
      body: anyBody,
      answers: { 200: json(webhookReceiptModel, "Taken") },
    },
    async ({ params: { webhook: name }, body, request }, reply) => {
      const webhook = await found(name);
      if (!webhook.active) throw noSuchWebhook(name);
      const headers = textsOf(request.headers);
      const refusal = refusalOf(webhook, secretOf(runtime, webhook), { headers, body, now: runtime.clock() });
      if (refusal !== undefined) throw new HttpError(401, refusal);
      const idHeader = webhook.verifier === "STANDARD" ? "webhook-id" : webhook.idHeader?.toLowerCase();
      const id = idHeader === undefined ? undefined : headers[idHeader];
      const messageId = id ?? runtime.newExecutionId();
      const { isDuplicate } = await runtime.events.bus.receive({
        event: webhookEvent(name),
        messageId,
        payload: webhookPayload(webhook, { headers, query: textsOf(request.query) as JsonObject, body }),
        ...(id === undefined ? {} : { guard: shortKey(id) }),
      });
      return sendValue(reply, { messageId, duplicate: isDuplicate });
    },
  );
}

function validated(webhook: Webhook): NamedWebhook {
  assertValid(webhookProblems(webhook));
  return { ...webhook, name: webhook.name ?? "", verifier: webhook.verifier ?? "NONE" };
}

function secretOf(runtime: Runtime, { name, verifier, secretName = "" }: NamedWebhook): string {
  if (verifier === "NONE") return "";
  const secret = runtime.secrets.find(secretName);
  if (secret !== undefined && secret !== "") return secret;
  throw new HttpError(503, `Webhook ${name} cannot check signatures: its secret is not set on the server`, {
    retryable: true,
  });
}

/** The first of several values. */
function textsOf(values: unknown): Record<string, string | undefined> {
  const pairs = Object.entries((values ?? {}) as Record<string, string | readonly string[] | undefined>);
  return Object.fromEntries(pairs.map(([key, value]) => [key, typeof value === "string" ? value : value?.[0]]));
}
