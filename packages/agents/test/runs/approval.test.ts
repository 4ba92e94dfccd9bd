import { expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, heard, says, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("pay", ({ q }) => ({ result: `paid ${String(q)}` }));
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
});

const payer = () => anAgent({ tools: [aTool("pay", { approvalRequired: true }), aTool("look_up")] });

test("approved: the tools are called, and what the person said reaches the model", async () => {
  const agent = payer();
  server.script(`${agent.name}_llm`, [calling(["pay", { q: "10" }], ["look_up", { q: "x" }]), says("done")]);
  const id = await server.start(agent);
  const asked = await server.question(id);
  expect(asked.referenceTaskName).toBe(`${agent.name}_approval_human__1`);
  expect(asked.inputData).toMatchObject({
    tool_calls: [{ name: "pay" }, { name: "look_up" }],
    response_schema: { required: ["approved"] },
  });
  await server.client.complete(asked, { approved: true, reason: "but only this once", limit: 20 });
  const run = await server.ended(id);
  expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "done"]);
  expect(run.tasks.filter(({ taskType }) => taskType === "pay")).toHaveLength(1);
  expect(heard(server.asked(`${agent.name}_llm`)[1]).at(-1)).toBe(
    "system: Human feedback on the approved tool call:\nreason: but only this once\nlimit: 20",
  );
});

test("rejected: the run ends COMPLETED with finishReason rejected, and nothing is called", async () => {
  const agent = payer();
  server.script(`${agent.name}_llm`, [calling(["pay", { q: "10" }])]);
  const id = await server.start(agent, { prompt: "hello", context: { user: "Ann" } });
  await server.answer(id, { approved: false, reason: "too much" });
  const run = await server.ended(id);
  expect([run.status, run.output]).toEqual([
    "COMPLETED",
    { result: "", finishReason: "rejected", rejectionReason: "too much", context: { user: "Ann" } },
  ]);
  expect(run.variables).toMatchObject({ rejectedToolCall: ["pay"], finishReason: "rejected" });
  expect(run.tasks.some(({ taskType }) => taskType === "pay")).toBe(false);
});

test("a tool that needs no consent is called without asking", async () => {
  const agent = payer();
  server.script(`${agent.name}_llm`, [calling(["look_up", { q: "x" }]), says("done")]);
  const run = await server.run(agent);
  expect([run.output["result"], run.tasks.some(({ taskType }) => taskType === "HUMAN")]).toEqual(["done", false]);
});

test("an answer in a person's own words is read by a model, and only then", async () => {
  const agent = payer();
  server.script(`${agent.name}_llm`, [calling(["pay", { q: "1" }]), calling(["pay", { q: "2" }])]);
  server.script(`${agent.name}_approval_human_normalizer`, [says({ approved: true })]);
  const id = await server.start(agent);
  await server.answer(id, { result: "sure, go ahead" });
  await server.client.until(id, ({ tasks }) =>
    tasks.some(({ referenceTaskName }) => referenceTaskName === `${agent.name}_approval_human__2`),
  );
  // The model's reading of the first answer must not count for the second.
  await server.answer(id, { approved: "no" });
  const run = await server.ended(id);
  expect(run.output["finishReason"]).toBe("rejected");
  expect(heard(server.asked(`${agent.name}_approval_human_normalizer`)[0]).at(-1)).toBe("user: sure, go ahead");
  expect(server.asked(`${agent.name}_approval_human_normalizer`)).toHaveLength(1);
  expect(run.tasks.filter(({ taskType }) => taskType === "pay")).toHaveLength(1);
});
