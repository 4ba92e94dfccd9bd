import type { Head, Task } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { taskSummaryText, workflowSummaryText } from "./summary.ts";

const id = "01900000-0000-7000-8000-000001000000";
const at = Date.UTC(2026, 0, 31, 12, 34, 56, 789);

const aHead = (fields: Partial<Head>): Head => ({
  id,
  rev: 1,
  epoch: 0,
  status: "RUNNING",
  workflowName: "gold_se_a",
  workflowVersion: 1,
  defHash: "hash",
  createTime: at,
  updateTime: 0,
  endTime: 0,
  lastRetriedTime: 0,
  priority: 0,
  taskToDomain: {},
  failedReferenceTaskNames: [],
  failedTaskNames: [],
  nextNo: 1,
  nextSeq: 1,
  open: 0,
  loops: {},
  joins: {},
  skipped: [],
  hasPermissiveFailure: false,
  hasFailures: false,
  trees: {},
  forks: {},
  dynamicForks: 0,
  ...fields,
});

const aTask = (fields: Partial<Task>): Task => ({
  no: 1,
  seq: 1,
  ref: "s1",
  iter: "",
  scope: 0,
  tree: 0,
  join: 0,
  taskType: "gold_t_se",
  taskDefName: "gold_t_se",
  status: "SCHEDULED",
  retryCount: 0,
  retried: false,
  executed: false,
  scheduledTime: at,
  firstScheduledTime: at,
  startTime: 0,
  endTime: 0,
  updateTime: 0,
  startDelayInSeconds: 0,
  callbackAfterSeconds: 0,
  pollCount: 0,
  iteration: 0,
  priority: 0,
  ...fields,
});

const workflow = (head: Partial<Head>, input = "{}", output = "{}", asJson = false): unknown =>
  JSON.parse(workflowSummaryText({ head: aHead(head), classifier: "workflow", input, output }, { asJson }));
const task = (fields: Partial<Task>, head: Partial<Head> = {}, input = "{}", asJson = false): unknown =>
  JSON.parse(taskSummaryText({ head: aHead(head), task: aTask(fields), input, output: "{}" }, { asJson }));

describe("the summary of an execution", () => {
  test("that runs has no end", () => {
    expect(workflow({ correlationId: "gold_cs1", priority: 1 }, '{"i":1}')).toEqual({
      workflowType: "gold_se_a",
      version: 1,
      workflowId: id,
      correlationId: "gold_cs1",
      startTime: "2026-01-31T12:34:56.789Z",
      updateTime: "1970-01-01T00:00:00.000Z",
      status: "RUNNING",
      input: "{i=1}",
      output: "{}",
      executionTime: 0,
      failedReferenceTaskNames: "",
      priority: 1,
      failedTaskNames: [],
      taskToDomain: {},
      parentWorkflowId: "",
      classifier: "workflow",
      inputSize: 5,
      outputSize: 2,
    });
  });

  test("that has ended says when, how long it took and why", () => {
    const ended = { status: "TERMINATED", endTime: at + 500, updateTime: at + 500 } as const;
    expect(workflow({ ...ended, reasonForIncompletion: "because" })).toMatchObject({
      updateTime: "2026-01-31T12:34:57.289Z",
      endTime: "2026-01-31T12:34:57.289Z",
      status: "TERMINATED",
      reasonForIncompletion: "because",
      executionTime: 500,
    });
  });

  test("has what else is known of it, and nothing that is not", () => {
    const more = {
      createdBy: "ann",
      event: "e",
      idempotencyKey: "k",
      externalInputPayloadStoragePath: "path",
      parentWorkflowId: "parent",
      taskToDomain: { "*": "eu" },
      failedReferenceTaskNames: ["a", "b"],
      failedTaskNames: ["n"],
    };
    expect(workflow(more)).toMatchObject({ ...more, failedReferenceTaskNames: "a,b" });
    expect(workflow({ externalInputPayloadStoragePath: " " })).not.toHaveProperty("externalInputPayloadStoragePath");
    for (const name of ["correlationId", "endTime", "reasonForIncompletion", "event", "createdBy", "idempotencyKey"])
      expect(workflow({})).not.toHaveProperty(name);
  });

  test("shows payloads as JSON when asked to", () => {
    expect(workflow({}, '{"i":1}', '{"a":[]}', true)).toMatchObject({
      input: '{"i":1}',
      inputSize: 7,
      output: '{"a":[]}',
      outputSize: 8,
    });
  });
});

describe("the summary of a task", () => {
  test("has every time, the epoch where there is none", () => {
    const canceled = { status: "CANCELED", endTime: at + 10, updateTime: at + 10 } as const;
    expect(task(canceled, { correlationId: "gold_cs0" }, '{"x":1}')).toEqual({
      workflowId: id,
      workflowType: "gold_se_a",
      correlationId: "gold_cs0",
      scheduledTime: "2026-01-31T12:34:56.789Z",
      startTime: "1970-01-01T00:00:00.000Z",
      updateTime: "2026-01-31T12:34:56.799Z",
      endTime: "2026-01-31T12:34:56.799Z",
      status: "CANCELED",
      executionTime: 0,
      queueWaitTime: 0,
      taskDefName: "gold_t_se",
      taskType: "gold_t_se",
      referenceTaskName: "s1",
      input: "{x=1}",
      output: "{}",
      taskId: "01900000-0000-7000-8000-000001000001",
      workflowPriority: 0,
    });
  });

  test("says how long it waited and worked, and what else is known", () => {
    const fields = {
      startTime: at + 30,
      endTime: at + 100,
      reasonForIncompletion: "why",
      domain: "eu",
      externalInputPayloadStoragePath: "in",
      externalOutputPayloadStoragePath: "out",
    };
    expect(task({ ...fields, iter: "2", priority: 7 })).toMatchObject({
      ...fields,
      startTime: "2026-01-31T12:34:56.819Z",
      endTime: "2026-01-31T12:34:56.889Z",
      executionTime: 70,
      queueWaitTime: 30,
      referenceTaskName: "s1__2",
      workflowPriority: 7,
    });
  });

  test("shows payloads as JSON when asked to", () => {
    expect(task({}, {}, '{"x":1}', true)).toMatchObject({ input: '{"x":1}', output: "{}" });
  });

  test("a time too far away to be written does not fail it", () => {
    expect(task({ endTime: Number.MAX_SAFE_INTEGER })).toMatchObject({ endTime: "+275760-09-13T00:00:00.000Z" });
  });
});

test("very long payloads are cut", () => {
  const input = JSON.stringify({ long: "x".repeat(300_000) });
  for (const asJson of [true, false]) {
    const text = workflowSummaryText({ head: aHead({}), classifier: "workflow", input, output: "{}" }, { asJson });
    expect((JSON.parse(text) as { input: string }).input.length).toBeLessThanOrEqual(100_000);
  }
});
