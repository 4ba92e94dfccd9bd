import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, heard, says, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
});

/** Deploys an agent whose model answers so. */
async function deployed(answers: Parameters<AgentServer["script"]>[1], more: JsonObject = {}): Promise<string> {
  const agentConfig = anAgent(more);
  await server.client.post("/agent/deploy", { agentConfig });
  server.script(`${agentConfig.name}_llm`, answers);
  return agentConfig.name;
}

let last = 0;
async function start(type: string, input: JsonObject, more: JsonObject = {}): Promise<string> {
  const name = `agent_task_${++last}`;
  const inputParameters = { agentType: "native", ...input };
  const entry = { name: type, taskReferenceName: "agent", type, inputParameters, retryCount: 0, ...more };
  const workflowDef = { name, version: 1, ownerEmail: "a@example.com", timeoutSeconds: 0, tasks: [entry] };
  return server.client.start(name, {}, { workflowDef });
}

async function outcome(type: string, input: JsonObject, more: JsonObject = {}) {
  const id = await start(type, input, more);
  const task = (await server.ended(id)).tasks.at(-1);
  if (task === undefined) throw new Error("Expected a task, got none");
  return { id, task, output: task.outputData, reason: task.reasonForIncompletion };
}

const runOf = async (id: string) => {
  const { tasks } = await server.client.until(id, (run) => run.tasks[0]?.outputData["executionId"] !== undefined);
  return String(tasks[0]?.outputData["executionId"]);
};

const human = aTool("question", { toolType: "human" });

describe("AGENT with an agent of this server", () => {
  test.each(["native", "Conductor"])("%s: the run ends, and its answer is the task's", async (agentType) => {
    const name = await deployed([says("Rome")]);
    const { id, task, output } = await outcome("AGENT", {
      agentType,
      name,
      prompt: "Which city?",
      sessionId: "s1",
      context: { user: "Ann" },
    });
    expect(task.status).toBe("COMPLETED");
    const { executionId } = output;
    expect(output).toMatchObject({
      state: "completed",
      text: "Rome",
      taskId: executionId,
      contextId: "s1",
      agentName: name,
      agentStartTime: expect.any(Number),
      agentEndTime: expect.any(Number),
      artifacts: [{ artifactId: `${String(executionId)}-result` }],
      output: { result: "Rome", finishReason: "STOP", context: { user: "Ann" } },
      task: { kind: "task", metadata: { agentType, executionId, agentName: name } },
    });
    expect(task.subWorkflowId).toBe(executionId);
    const run = await server.client.execution(String(executionId));
    expect([run["parentWorkflowId"], run["correlationId"]]).toEqual([undefined, `conductor-agent-${id}:agent:0`]);
    expect(heard(server.asked(`${name}_llm`)[0]).at(-1)).toContain("Which city?");
  });

  test("an agent that the task describes", async () => {
    const agentConfig = anAgent();
    server.script(`${agentConfig.name}_llm`, [says("inline")]);
    expect((await outcome("AGENT", { agentConfig, prompt: "p" })).output["text"]).toBe("inline");
  });

  test("a question to a person completes the task; another answers it and follows the same run", async () => {
    const name = await deployed([calling(["question", { q: "red or blue?" }]), says("red it is")], { tools: [human] });
    const asked = await outcome("AGENT", { name, prompt: "choose" });
    expect([asked.task.status, asked.output]).toMatchObject([
      "COMPLETED",
      { state: "input-required", waiting: true, pendingTool: { tool_name: null, response_schema: expect.anything() } },
    ]);
    const executionId = String(asked.output["executionId"]);
    expect((await server.client.execution(executionId)).status).toBe("RUNNING");
    const answered = await outcome("AGENT", { executionId, prompt: "red" });
    expect(answered.output).toMatchObject({ executionId, state: "completed", text: "red it is" });
    expect(answered.output).not.toHaveProperty("answering");
    const run = await server.client.execution(executionId);
    const question = run.tasks.find(({ taskType }) => taskType === "HUMAN");
    expect(question?.outputData).toMatchObject({ result: "red" });
    // An ended run tells how it ended.
    expect((await outcome("AGENT", { executionId, prompt: "blue" })).output["text"]).toBe("red it is");
  });

  test("a run that fails, and one that is cancelled from outside", async () => {
    const name = await deployed([calling(["question"])], { tools: [human] });
    const slow = await deployed(() => calling(["slow"]), { tools: [aTool("slow")] });
    const failed = await outcome("AGENT", { name: slow, prompt: "p", timeoutSeconds: 1 });
    expect([failed.task.status, failed.output["state"]]).toEqual(["FAILED", "failed"]);
    expect(failed.reason).toContain("timed out");
    const { output } = await outcome("AGENT", { name, prompt: "p" });
    const executionId = String(output["executionId"]);
    const cancelled = await outcome("CANCEL_AGENT", { executionId, reason: "enough" });
    expect([cancelled.task.status, cancelled.output]).toEqual(["COMPLETED", { executionId, canceled: true }]);
    const run = await server.client.execution(executionId);
    expect([run.status, run.reasonForIncompletion]).toEqual(["TERMINATED", "enough"]);
    const again = await outcome("CANCEL_AGENT", { executionId });
    expect(again.output).toEqual({ executionId, canceled: true });
    const followed = await outcome("AGENT", { executionId, prompt: "p" });
    expect([followed.task.status, followed.output["state"], followed.reason]).toEqual([
      "CANCELED",
      "canceled",
      "enough",
    ]);
  });

  test("a workflow that is terminated takes the run with it; so does the end of the task's time", async () => {
    const name = await deployed(() => calling(["slow"]), { tools: [aTool("slow")] });
    const id = await start("AGENT", { name, prompt: "p", pollIntervalSeconds: 1 });
    const executionId = await runOf(id);
    await server.client.send("DELETE", `/workflow/${id}`);
    expect((await server.client.ended(executionId)).status).toBe("TERMINATED");
    const { task, output, reason } = await outcome("AGENT", {
      name,
      prompt: "p",
      maxDurationSeconds: 1,
      pollIntervalSeconds: 1,
    });
    expect([task.status, reason]).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      "AGENT exceeded max duration of 1s without the agent reaching a terminal state",
    ]);
    expect((await server.client.ended(String(output["executionId"]))).status).toBe("TERMINATED");
  });

  test.each([
    [{ name: "x" }, "FAILED_WITH_TERMINAL_ERROR", "AGENT requires prompt"],
    [{ executionId: "x" }, "FAILED_WITH_TERMINAL_ERROR", "AGENT requires prompt"],
    [{ name: "ghost", prompt: "p" }, "FAILED", "Agent not found: ghost"],
    [
      { prompt: "p" },
      "FAILED_WITH_TERMINAL_ERROR",
      "Agent start requires agentName or inline agent construction details",
    ],
    [
      { executionId: "ghost", prompt: "p" },
      "FAILED",
      "Conductor agent call failed: No such workflow found by id: ghost",
    ],
  ])("%j", async (input, status, reason) => {
    const { task, reason: told } = await outcome("AGENT", input);
    expect([task.status, told]).toEqual([status, reason]);
  });

  test("CANCEL_AGENT of a run that is not there fails", async () => {
    const { task, reason } = await outcome("CANCEL_AGENT", { executionId: "ghost" });
    expect([task.status, reason]).toEqual([
      "FAILED",
      "Failed to cancel agent execution ghost: No such workflow found by id: ghost",
    ]);
  });
});
