import { entry, nobody, type Session } from "../recorder/session.ts";

export async function messages(session: Session): Promise<void> {
  const { ended, labelTasks, record, recordExecution, register, start, until, workflow } = session;
  const pull = (ref: string, inputParameters: object) => entry("PULL_WORKFLOW_MESSAGES", ref, { inputParameters });
  await register(
    workflow("msg", [pull("p1", { batchSize: 2 })], { outputParameters: { m: "${p1.output}" } }),
    workflow("msg2", [entry("WAIT", "w")]),
    workflow("msg_to", [pull("p2", { timeoutSeconds: 2, blocking: false })]),
  );
  const id = await start("msg", {}, {}, "wf");
  await until(id, ({ tasks: [first] }) => first !== undefined, 4000);
  await record("execution waiting for a message", "GET", `/workflow/${id}`, { after: ({ json }) => labelTasks(json) });
  await record("push", "POST", `/workflow/${id}/messages`, { body: { hello: "world", n: 1 } });
  await ended(id);
  await recordExecution("execution after push", id);
  await record("push to a finished workflow", "POST", `/workflow/${id}/messages`, { body: { a: 1 } });
  await record("push to unknown workflow", "POST", `/workflow/${nobody}/messages`, { body: { a: 1 } });
  const waiting = await start("msg2", {}, {}, "wf2");
  await record("push array", "POST", `/workflow/${waiting}/messages`, { text: "[1]" });
  await record("push string", "POST", `/workflow/${waiting}/messages`, { text: '"x"' });
  await record("push empty object", "POST", `/workflow/${waiting}/messages`, { body: {} });
  await record("push no body", "POST", `/workflow/${waiting}/messages`);
  const early = await start("msg", {}, {}, "wf3");
  await record("push before the task runs", "POST", `/workflow/${early}/messages`, { body: { i: 1 } });
  await ended(early);
  await recordExecution("execution with early message", early);
  const nonBlocking = await start("msg_to", {}, {}, "wf_nonblocking");
  await ended(nonBlocking);
  await recordExecution("non-blocking pull", nonBlocking);
}
