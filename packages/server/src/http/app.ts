import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { BulkJobs } from "../jobs/bulk-jobs.ts";
import { Overview } from "../overview/overview.ts";
import { Retention } from "../retention/retention.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { workflowFields } from "../search/fields.ts";
import { Api, type DeclaredRoute } from "./api.ts";
import { answerUnreadable } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { HttpError, reasonOf, toErrorBody } from "./errors.ts";
import { KnownPaths } from "./known-paths.ts";
import { type Reply, sendValue } from "./reply.ts";
import { adminRoutes } from "./routes/admin.ts";
import { docsRoutes } from "./routes/docs.ts";
import { environmentRoutes } from "./routes/environment.ts";
import { eventRoutes } from "./routes/event.ts";
import { eventRecordRoutes } from "./routes/event-records.ts";
import { externalContentRoutes, externalStorageRoutes } from "./routes/external-storage.ts";
import { fileContentRoutes, takeBodiesAsStreams } from "./routes/file-content.ts";
import { fileRoutes } from "./routes/files.ts";
import { healthRoutes, systemRoutes } from "./routes/health.ts";
import { taskDefRoutes } from "./routes/metadata-taskdefs.ts";
import { workflowDefRoutes } from "./routes/metadata-workflow.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { queueRoutes } from "./routes/queue.ts";
import { schedulerRoutes } from "./routes/scheduler.ts";
import { schedulerRunRoutes } from "./routes/scheduler-runs.ts";
import { schedulerTagRoutes } from "./routes/scheduler-tags.ts";
import { schedulerTimeRoutes } from "./routes/scheduler-times.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { tagRoutes } from "./routes/tags.ts";
import { taskQueueRoutes } from "./routes/task-queues.ts";
import { taskReferenceRoutes } from "./routes/task-reference.ts";
import { taskSearchRoutes } from "./routes/task-search.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { WebApp } from "./routes/web-app.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { workflowRoutes } from "./routes/workflow.ts";
import { workflowBulkRoutes } from "./routes/workflow-bulk.ts";
import { operationOf, workflowBulkJobRoutes } from "./routes/workflow-bulk-jobs.ts";
import { workflowFindRoutes } from "./routes/workflow-find.ts";
import { workflowMessageRoutes } from "./routes/workflow-messages.ts";
import { workflowOperationRoutes } from "./routes/workflow-operations.ts";
import { workflowSearchRoutes } from "./routes/workflow-search.ts";
import { workflowStartRoutes } from "./routes/workflow-start.ts";
import { workflowStateRoutes } from "./routes/workflow-state.ts";
import { workflowStreamRoutes } from "./routes/workflow-stream.ts";
import { workflowTestRoutes } from "./routes/workflow-test.ts";
import { toSearch } from "./search.ts";
import { Shortcut, type ShortcutRequest } from "./shortcut/shortcut.ts";
import { startOrFind } from "./start.ts";

/** Both routers must find the same. */
const routerOptions = { ignoreTrailingSlash: false, maxParamLength: 5000 };

const everyHit = { start: 0, size: 0, sort: [] };

/** Where requests go that must not reach any route. */
const NOWHERE = "/nowhere";

const SWEEP_MS = 10;
const REQUEST_TIMEOUT_MS = 300_000;

/** A file may take its time, and silence on its way is noticed elsewhere: here only a rate that leads nowhere is. */
const SLOWEST_UPLOAD_BYTES_PER_MS = 128;

const requestTimeout = (config: Config): number =>
  config["service.file-storage.enabled"]
    ? Math.max(
        REQUEST_TIMEOUT_MS,
        Math.ceil(config["service.file-storage.local.max-size"] / SLOWEST_UPLOAD_BYTES_PER_MS),
      )
    : REQUEST_TIMEOUT_MS;

/** Bodies up to this are the same to every route: none is refused, and none is divided while it arrives. */
const mostPlainBytes = (config: Config): number =>
  Math.min(64 * 1024, config["service.server.body-limit"], config["service.app.taskOutputPayloadSizeThreshold"]);

/** The HTTP interface over a runtime. */
export function createApp(runtime: Runtime, version: string): FastifyInstance {
  const { config, log } = runtime;
  const known = new KnownPaths();

  const fail = (error: unknown, request: ShortcutRequest, reply: Reply): Reply => {
    const body = toErrorBody(error);
    if (body.status >= 500) {
      // A signed URL opens what it leads to, for whoever reads the log too.
      const url = request.originalUrl.replace(/([?&]sig=)[^&]*/g, "$1…");
      const details = { method: request.method, url };
      // What was thrown with its status was expected, if not hoped for.
      if (error instanceof HttpError) log.warn("A request failed", { ...details, error: error.message });
      else
        log.error("A request failed", {
          ...details,
          error: error instanceof Error ? (error.stack ?? "") : String(error),
        });
    }
    return sendValue(reply.code(body.status), body);
  };

  const failUsual = (error: unknown, request: FastifyRequest, reply: FastifyReply) => fail(error, request, reply);

  const app = Fastify({
    bodyLimit: config["service.server.body-limit"],
    // A request that never ends does not keep its connection for ever.
    requestTimeout: requestTimeout(config),
    // A stopping server answers what it has begun: a worker whose poll was cut would leave its task claimed.
    forceCloseConnections: "idle",
    routerOptions,
    frameworkErrors: failUsual,
    clientErrorHandler: answerUnreadable,
    rewriteUrl: ({ url = "/" }) => (known.isNothing(url) ? NOWHERE : url),
  });
  // Bodies arrive as text, whatever their content type: each route reads what it expects.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  const shortcut = new Shortcut({
    routerOptions,
    mostBodyBytes: mostPlainBytes(config),
    isNothing: (url) => known.isNothing(url),
    fail,
  });
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const one of [method].flat()) {
      known.add(one, url);
      shortcut.add(one, url, config?.shortcutAnswer);
    }
  });
  const connections = new Connections(app.server);
  shortcut.open(app.server);
  app.addHook("preClose", (done) => {
    // A connection that gives its last answer now would stay open for the next request.
    const sweep = setInterval(() => {
      shortcut.closeUnused();
      connections.closeUnused();
    }, SWEEP_MS);
    sweep.unref();
    app.server.once("close", () => clearInterval(sweep));
    done();
  });
  app.setErrorHandler(failUsual);
  const webApp = new WebApp();
  app.setNotFoundHandler((request, reply) => {
    const path = request.originalUrl.split("?")[0] ?? "";
    const methods = known.methodsOf(path);
    if (methods.length === 0) {
      const page = webApp.answer(request, reply);
      if (page !== undefined) return page;
      const name = path.replace(/^\//, "").replace(/\/$/, "");
      return fail(new HttpError(404, `No static resource ${name}.`), request, reply);
    }
    reply.header("allow", methods.join(", "));
    if (request.method === "OPTIONS") return reply.code(200).send();
    return fail(new HttpError(405, `Request method '${request.method}' is not supported`), request, reply);
  });

  const jobs = new BulkJobs({
    runtime,
    match({ query, freeText }) {
      const { where, text } = toSearch({ ...everyHit, query, freeText }, workflowFields);
      return { where, text };
    },
    actOf(job) {
      const operate = operationOf(job);
      return (id, attached) => operate(runtime, id, attached);
    },
  });
  const retention = new Retention(runtime);
  const scheduler = new Scheduler({
    runtime,
    start: (request, more, attached) => startOrFind(runtime, request, { more, attached }),
    reasonOf,
  });
  const overview = new Overview(runtime);
  app.addHook("onReady", async () => {
    await jobs.start();
    retention.start();
    if (config["service.scheduler.enabled"]) await scheduler.start();
  });
  app.addHook("onClose", async () => {
    overview.close();
    await Promise.all([jobs.close(), retention.close(), scheduler.close()]);
  });

  const operations: DeclaredRoute[] = [];
  docsRoutes(app, operations, version);
  healthRoutes(new Api(app, "Health", operations), runtime, version);
  app.register(
    (api, _options, done) => {
      const of = (tag: string) => new Api(api, tag, operations);
      workflowDefRoutes(of("Workflow definitions"), runtime);
      taskDefRoutes(of("Task definitions"), runtime);
      tagRoutes(of("Tags"), runtime);
      workflowStartRoutes(of("Starting executions"), runtime);
      workflowRoutes(of("Executions"), runtime);
      workflowFindRoutes(of("Finding executions"), runtime);
      workflowSearchRoutes(of("Finding executions"), runtime);
      workflowOperationRoutes(of("Operating executions"), runtime);
      workflowStateRoutes(of("Operating executions"), runtime);
      workflowMessageRoutes(of("Messages"), runtime);
      workflowStreamRoutes(of("Watching executions"), runtime);
      workflowTestRoutes(of("Testing definitions"), runtime);
      workflowBulkRoutes(of("Bulk operations"), runtime);
      workflowBulkJobRoutes(of("Bulk operations"), jobs, runtime.stopping);
      taskRoutes(of("Tasks"), runtime);
      taskSearchRoutes(of("Tasks"), runtime);
      taskReferenceRoutes(of("Tasks by reference and signals"), runtime);
      taskQueueRoutes(of("Task queues"), runtime);
      externalStorageRoutes(of("External payloads"), runtime);
      const { files } = runtime;
      if (files !== undefined) fileRoutes(of("Files"), files);
      api.register((content, _options, registered) => {
        takeBodiesAsStreams(content);
        externalContentRoutes(new Api(content, "External payloads", operations), runtime);
        if (files !== undefined) fileContentRoutes(new Api(content, "Files", operations), files, runtime);
        registered();
      });
      eventRoutes(of("Event handlers"), runtime.events.handlers);
      eventRecordRoutes(of("Events"), runtime);
      webhookRoutes(of("Webhooks"), runtime);
      if (config["service.scheduler.enabled"]) {
        schedulerRoutes(of("Schedules"), runtime, scheduler);
        schedulerTagRoutes(of("Schedules"), scheduler);
        schedulerTimeRoutes(of("Schedules"), runtime);
        schedulerRunRoutes(of("Schedules"), runtime, scheduler);
      }
      queueRoutes(of("Broker queues"), runtime.events.statusQueues);
      environmentRoutes(of("Environment"), runtime);
      secretRoutes(of("Secrets"), runtime);
      adminRoutes(of("Administration"), runtime, { version, retention });
      overviewRoutes(of("Administration"), runtime, overview);
      systemRoutes(of("Health"), version);
      for (const extension of runtime.extensions) extension.routes?.(of);
      done();
    },
    { prefix: "/api" },
  );
  return app;
}
