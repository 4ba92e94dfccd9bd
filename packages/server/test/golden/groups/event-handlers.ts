import { entry, type Session } from "../recorder/session.ts";

export async function eventHandlers(session: Session): Promise<void> {
  const { ended, label, name, normal, prefix, record, recordExecution, register, send, start, workflow } = session;
  const event = `service:${name("ev_src")}:${name("evt")}`;
  const handler = {
    name: name("h1"),
    event,
    condition: "$.payload.k == 'go'",
    evaluatorType: "javascript",
    active: true,
    actions: [
      {
        action: "start_workflow",
        start_workflow: {
          name: name("ev_target"),
          version: 1,
          correlationId: "cc",
          input: { k: "${payload.k}", k2: "${$.payload.k}", wf: "${workflowInstanceId}", missing: "${nope}" },
        },
        expandInlineJSON: false,
      },
    ],
  };
  await register(
    workflow("ev_target", [entry("NOOP", "n")], { outputParameters: { got: "${workflow.input}" } }),
    workflow("ev_src", [
      entry("EVENT", "e1", {
        sink: `service:${name("evt")}`,
        inputParameters: { payload: { k: "${workflow.input.k}" }, other: 1 },
      }),
    ]),
    workflow("ev_src2", [
      entry("EVENT", "e2", {
        sink: `service:${name("evt2")}`,
        inputParameters: { k: "complete", k3: "${workflow.input.target}" },
      }),
    ]),
    workflow("ev_wait", [entry("WAIT", "w")], { variables: { a: 1 } }),
  );
  await send("POST", "/event", {
    body: {
      name: name("h9"),
      event: `service:${name("ev_src2")}:${name("evt2")}`,
      active: true,
      condition: "$.k == 'complete'",
      evaluatorType: "javascript",
      actions: [
        {
          action: "update_workflow_variables",
          update_workflow_variables: { workflowId: "${k3}", variables: { b: 2 } },
        },
        {
          action: "complete_task",
          complete_task: { workflowId: "${k3}", taskRefName: "w", output: { done: "by event" } },
        },
      ],
    },
  });
  const byEvent = `/event/${encodeURIComponent(event)}`;
  await record("list empty event", "GET", byEvent);
  await record("create", "POST", "/event", { body: handler });
  await record("create again", "POST", "/event", { body: handler });
  await record("get by event", "GET", byEvent);
  await record("list all", "GET", "/event", {
    shape: ({ json }) => normal((json as { name: string }[]).filter((one) => one.name.startsWith(prefix))),
  });
  await record("update: inactive", "PUT", "/event", { body: { ...handler, active: false } });
  await record("get by event activeOnly default", "GET", byEvent);
  await record("get by event activeOnly=false", "GET", `${byEvent}?activeOnly=false`);
  await record("update: active", "PUT", "/event", { body: handler });
  await record("update unknown", "PUT", "/event", { body: { ...handler, name: name("h_none") } });
  const drafts: Record<string, object> = {
    "no name": { ...handler, name: undefined },
    "no event": { ...handler, name: name("h2"), event: undefined },
    "no actions": { ...handler, name: name("h3"), actions: undefined },
    "empty actions": { ...handler, name: name("h4"), actions: [] },
    "bad action": { ...handler, name: name("h5"), actions: [{ action: "explode" }] },
    "unknown queue type": { ...handler, name: name("h6"), event: "zzz:thing" },
    "event without colon": { ...handler, name: name("h7"), event: "thing" },
    minimal: {
      name: name("h8"),
      event: "service:x",
      actions: [{ action: "start_workflow", start_workflow: { name: "a" } }],
    },
  };
  for (const [what, body] of Object.entries(drafts)) await record(`create: ${what}`, "POST", "/event", { body });
  await record("get minimal", "GET", `/event/${encodeURIComponent("service:x")}?activeOnly=false`);
  await record("create malformed", "POST", "/event", { text: "{" });
  const source = await start("ev_src", { k: "go" }, {}, "wf_source");
  await ended(source);
  await recordExecution("EVENT execution", source);
  const target = await startedBy(session, name("ev_target"));
  label(target, "wf_target");
  await ended(target);
  await recordExecution("workflow started by the handler", target);
  const waiting = await start("ev_wait", {}, {}, "wf_waiting");
  await session.untilTask(waiting, "w", "IN_PROGRESS");
  const second = await start("ev_src2", { target: waiting }, {}, "wf_source2");
  await ended(second);
  await recordExecution("second EVENT execution", second);
  await ended(waiting);
  await recordExecution("WAIT completed by the handler", waiting);
  await record("delete", "DELETE", `/event/${name("h1")}`);
  await record("delete again", "DELETE", `/event/${name("h1")}`);
  for (const stem of ["h6", "h7", "h8", "h9"]) await send("DELETE", `/event/${name(stem)}`);
}

/** The execution that a handler starts, once it is there. */
async function startedBy({ send }: Session, workflowType: string): Promise<string> {
  const query = encodeURIComponent(`workflowType='${workflowType}'`);
  for (;;) {
    const { json } = await send("GET", `/workflow/search?query=${query}`);
    const [first] = (json as { results: { workflowId: string }[] }).results;
    if (first !== undefined) return first.workflowId;
  }
}
