import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, plainText } from "../api.ts";
import { HttpError } from "../errors.ts";
import { freeObject, healthModel } from "../models.ts";
import { sendText, sendValue } from "../reply.ts";

const healthy = { healthResults: [], suppressedHealthResults: [], healthy: true };

/** Under `/api`, where the SDKs look. */
export function systemRoutes(api: Api, version: string): void {
  api.get("/health", { summary: "Health", answers: { 200: json(healthModel, "Well") } }, (_call, reply) =>
    sendValue(reply, healthy),
  );
  api.get("/version", { summary: "The server's version", answers: { 200: plainText("A version") } }, (_call, reply) =>
    sendText(reply, version),
  );
}

/** At the root, where load balancers and orchestrators look. */
export function healthRoutes(api: Api, runtime: Runtime, version: string): void {
  const answers = { 200: json(freeObject, "Yes") };
  const up = { status: "UP" };

  api.get("/health", { summary: "Health", answers: { 200: json(healthModel, "Well") } }, (_call, reply) =>
    sendValue(reply, healthy),
  );

  api.get("/health/live", { summary: "Is the process alive", answers }, (_call, reply) => sendValue(reply, up));

  api.get("/health/ready", { summary: "Can it take requests", answers }, async (_call, reply) => {
    if (runtime.stopping.aborted) throw new HttpError(503, "The server is stopping", { retryable: true });
    await assertStore(runtime);
    return sendValue(reply, up);
  });

  // What monitoring made for Spring applications asks.
  api.withRequest("GET", "/actuator", { summary: "Where health and build are told", answers }, ({ request }, reply) => {
    const base = `${request.protocol}://${request.host}/actuator`;
    const links = { self: base, health: `${base}/health`, info: `${base}/info`, prometheus: `${base}/prometheus` };
    const entries = Object.entries(links).map(([name, href]) => [name, { href, templated: false }]);
    return sendValue(reply, { _links: Object.fromEntries(entries) });
  });

  api.get("/actuator/info", { summary: "What runs here", answers }, (_call, reply) =>
    sendValue(reply, { build: { name: "downbeat", version } }),
  );

  api.get(
    "/actuator/prometheus",
    {
      summary: "Metrics",
      answers: { 200: { description: "In Prometheus' text format", contentType: "text/plain" } },
    },
    async (_call, reply) =>
      reply.header("content-type", "text/plain;version=0.0.4;charset=utf-8").send(await runtime.metrics.text()),
  );

  api.get("/actuator/health", { summary: "Health with its parts", answers }, async (_call, reply) => {
    await assertStore(runtime);
    return sendValue(reply, { status: "UP", components: { db: up, diskSpace: up, ping: up } });
  });
}

/** A store that cannot even be read is not one to send traffic to. */
async function assertStore(runtime: Runtime): Promise<void> {
  const problem = await readProblem(runtime);
  if (problem !== undefined) throw new HttpError(503, `The store cannot be read: ${problem}`, { retryable: true });
}

async function readProblem(runtime: Runtime): Promise<string | undefined> {
  try {
    await runtime.store.queues.nextTimer();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
