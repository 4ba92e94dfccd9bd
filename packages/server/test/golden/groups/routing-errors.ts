import { entry, nobody, type Session } from "../recorder/session.ts";

export async function routingErrors({ name, origin, record, register, send, start, workflow }: Session): Promise<void> {
  await record("unknown route under api", "GET", "/nothing/here");
  await record("unknown route POST", "POST", "/nothing", { body: {} });
  await record("token endpoint", "POST", "/token", { body: { keyId: "a", keySecret: "b" } });
  await record("unknown method on a route", "PATCH", "/workflow", { body: {} });
  await record("405: PUT /workflow", "PUT", "/workflow", { body: {} });
  await record("405: GET /workflow", "GET", "/workflow");
  await record("405: DELETE /tasks", "DELETE", "/tasks");
  await record("405: POST poll", "POST", "/tasks/poll/x", { body: {} });
  await record("405: PUT /metadata/workflow/x", "PUT", "/metadata/workflow/x", { body: {} });
  await record("405: POST scheduler pause", "POST", "/scheduler/schedules/x/pause");
  await record("HEAD on a route", "HEAD", "/metadata/taskdefs");
  await record("OPTIONS on a route", "OPTIONS", "/workflow");
  await record("trailing slash", "GET", "/metadata/taskdefs/");
  await record("not acceptable", "GET", "/metadata/taskdefs/zzz", { headers: { accept: "application/xml" } });
  await record("unsupported media type", "POST", "/metadata/taskdefs", {
    text: "<a/>",
    contentType: "application/xml",
  });
  await record("json with charset", "POST", "/metadata/taskdefs", {
    text: "[]",
    contentType: "application/json;charset=UTF-8",
  });
  await record("malformed JSON", "POST", "/tasks", { text: '{"a":}' });
  await record("JSON with trailing garbage", "POST", "/workflow/none_such", { text: "{} x" });
  await record("health", "GET", "/health");
  await record("health at the root", "GET", `${origin}/health`);
  await record("actuator health", "GET", `${origin}/actuator/health`, {
    shape: ({ json }) => {
      const { status, components = {} } = json as { status: unknown; components?: object };
      return { status, components: Object.keys(components) };
    },
  });
  await record("prometheus metrics", "GET", `${origin}/actuator/prometheus`, {
    shape: ({ text }) => ({
      note: "text exposition",
      names: [...new Set((text.match(/^# HELP (\S+)/gm) ?? []).map((line) => line.slice(7)))]
        .filter(
          (metric) =>
            !/^(jvm|process|system|hikari|tomcat|logback|log4j|disk|executor|application|jdbc|spring)_/.test(metric),
        )
        .slice(0, 120),
    }),
  });
  await record("version", "GET", "/version");
  await record("admin config", "GET", "/admin/config", {
    shape: ({ json }) => ({
      note: "keys only",
      keys: Object.keys(json as object)
        .filter((key) => /^(conductor|service|version|build)/.test(key))
        .sort()
        .slice(0, 80),
      version: (json as { version?: string }).version ?? null,
    }),
  });
  const event = `service:${name("ev_src")}:${name("evt")}`;
  await send("POST", "/event", {
    body: {
      name: name("h1"),
      event,
      active: true,
      actions: [{ action: "start_workflow", start_workflow: { name: name("ev_target") } }],
    },
  });
  await record("admin queues", "GET", "/admin/queues");
  await record("admin queues verbose", "GET", "/admin/queues?verbose=true");
  await record("admin task list of a type", "GET", "/admin/task/none_such?start=0&count=5");
  await record("admin sweep requeue unknown", "POST", `/admin/sweep/requeue/${nobody}`);
  await record("admin verifyAndRepair unknown", "POST", `/admin/consistency/verifyAndRepair/${nobody}`);
  await register(workflow("adm", [entry("WAIT", "w")]));
  const id = await start("adm", {}, {}, "wf");
  await record("admin sweep requeue", "POST", `/admin/sweep/requeue/${id}`);
  await record("admin verifyAndRepair", "POST", `/admin/consistency/verifyAndRepair/${id}`);
  await record("queue size", "GET", "/queue/size");
  await record("queue names", "GET", "/queue/");
  await record("queue update by ref", "POST", `/queue/update/${id}/w/COMPLETED`, { body: { a: 1 } });
  await record("queue update bad status", "POST", `/queue/update/${id}/w/ZZ`, { body: { a: 1 } });
  await record("environment list", "GET", "/environment");
  await record("environment unknown key", "GET", "/environment/NOPE");
}
