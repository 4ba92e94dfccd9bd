import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Runtime } from "../runtime/runtime.ts";
import { answerUnreadable } from "./client-error.ts";
import { HttpError, toErrorBody } from "./errors.ts";
import { KnownPaths } from "./known-paths.ts";
import { metadataRoutes } from "./metadata.ts";
import { sendValue } from "./reply.ts";
import { systemRoutes } from "./system.ts";
import { taskRoutes } from "./tasks.ts";
import { workflowRoutes } from "./workflow.ts";

/** Where requests go that must not reach any route. */
const NOWHERE = "/nowhere";

const SWEEP_MS = 10;

/** The HTTP interface over a runtime. */
export function createApp(runtime: Runtime, version: string): FastifyInstance {
  const { config, log } = runtime;
  const known = new KnownPaths();

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const body = toErrorBody(error);
    if (body.status >= 500) {
      const stack = error instanceof Error ? error.stack : String(error);
      log.error("A request failed", { method: request.method, url: request.originalUrl, error: stack ?? "" });
    }
    return sendValue(reply.code(body.status), body);
  };

  const app = Fastify({
    bodyLimit: config["service.server.body-limit"],
    // A stopping server answers what it has begun: a worker whose poll was cut would leave its task claimed.
    forceCloseConnections: "idle",
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 5000 },
    frameworkErrors: fail,
    clientErrorHandler: answerUnreadable,
    rewriteUrl: ({ url = "/" }) => (known.isNothing(url) ? NOWHERE : url),
  });
  // Bodies arrive as text, whatever their content type: each route reads what it expects.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) known.add(one, url);
  });
  app.addHook("preClose", (done) => {
    // A connection that gives its last answer now would stay open for the next request.
    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
    sweep.unref();
    app.server.once("close", () => clearInterval(sweep));
    done();
  });
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => {
    const path = request.originalUrl.split("?")[0] ?? "";
    const methods = known.methodsOf(path);
    if (methods.length === 0) {
      const name = path.replace(/^\//, "").replace(/\/$/, "");
      return fail(new HttpError(404, `No static resource ${name}.`), request, reply);
    }
    reply.header("allow", methods.join(", "));
    if (request.method === "OPTIONS") return reply.code(200).send();
    return fail(new HttpError(405, `Request method '${request.method}' is not supported`), request, reply);
  });

  app.get("/health", (_request, reply) => sendValue(reply, healthy));
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

const healthy = { healthResults: [], suppressedHealthResults: [], healthy: true };
