import type { FastifyInstance } from "fastify";
import { sendText } from "./reply.ts";

/** Health and version. */
export function systemRoutes(app: FastifyInstance, version: string): void {
  app.get("/health", () => ({ healthResults: [], suppressedHealthResults: [], healthy: true }));
  app.get("/version", (_request, reply) => sendText(reply, version));
}
