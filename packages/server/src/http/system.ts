import type { FastifyInstance } from "fastify";
import { sendText, sendValue } from "./reply.ts";

/** Health and version. */
export function systemRoutes(app: FastifyInstance, version: string): void {
  app.get("/health", (_request, reply) =>
    sendValue(reply, { healthResults: [], suppressedHealthResults: [], healthy: true }),
  );
  app.get("/version", (_request, reply) => sendText(reply, version));
}
