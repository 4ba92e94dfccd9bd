import Fastify, { type FastifyInstance } from "fastify";
import type { Runtime } from "../runtime/runtime.ts";
import { HttpError, toErrorBody } from "./errors.ts";
import { metadataRoutes } from "./metadata.ts";
import { systemRoutes } from "./system.ts";
import { taskRoutes } from "./tasks.ts";
import { workflowRoutes } from "./workflow.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH"] as const;

/** The HTTP interface over a runtime. */
export function createApp(runtime: Runtime, version: string): FastifyInstance {
  const { config, log } = runtime;
  const app = Fastify({
    bodyLimit: config["service.server.body-limit"],
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 5000 },
  });
  // Bodies arrive as text, whatever their content type: each route reads what it expects.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  app.setErrorHandler((error, request, reply) => {
    const body = toErrorBody(error);
    if (body.status >= 500) {
      const stack = error instanceof Error ? error.stack : String(error);
      log.error("A request failed", { method: request.method, url: request.url, error: stack ?? "" });
    }
    return reply.code(body.status).send(body);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    const isKnown = METHODS.some((method) => method !== request.method && app.hasRoute({ method, url: path }));
    const error = isKnown
      ? new HttpError(405, `Request method '${request.method}' is not supported`)
      : new HttpError(404, `No static resource ${path.replace(/^\//, "")}.`);
    return reply.code(error.status).send(toErrorBody(error));
  });

  app.get("/health", () => ({ healthResults: [], suppressedHealthResults: [], healthy: true }));
  app.register(
    (api, _options, done) => {
      metadataRoutes(api, runtime);
      workflowRoutes(api, runtime);
      taskRoutes(api, runtime);
      systemRoutes(api, version);
      done();
    },
    { prefix: "/api" },
  );
  return app;
}
