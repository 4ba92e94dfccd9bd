import { describe, expect, test } from "vitest";
import { aWorkflow, entry, subWorkflow } from "../builders.ts";
import { simulate } from "../simulate.ts";

const http = entry("HTTP", "h", { inputParameters: { http_request: { uri: "http://127.0.0.1/", method: "GET" } } });

describe("an execution made for a test", () => {
  test("calls nobody: what works outside waits for its mock, in children too", () => {
    const child = aWorkflow("child").add(http).def;
    const flow = aWorkflow().add(http, subWorkflow("s", "child"));
    const run = simulate(flow, { workflows: [child] }).start({}, { test: true });
    expect(run.work("h")).toMatchObject({ state: "waiting", queue: "" });
    run.result(run.task("h").no, { status: "COMPLETED", outputMode: "replace" });
    expect(run.child("s").work("h")).toMatchObject({ state: "waiting" });
  });

  test("a result may pretend how long it took, and time out by it", () => {
    const flow = aWorkflow().simple("a");
    const taskDefs = {
      a: { name: "a", timeoutSeconds: 10, pollTimeoutSeconds: 5, retryCount: 1, timeoutPolicy: "RETRY" },
    };
    const pretend = (queueWaitMs: number, executionMs: number) => {
      const run = simulate(flow, { taskDefs }).start({}, { test: true });
      run.send({
        kind: "task-result",
        no: run.task("a").no,
        result: { status: "COMPLETED", outputMode: "replace" },
        pretends: { queueWaitMs, executionMs },
      });
      return run;
    };
    expect(pretend(4000, 9000).list).toEqual(["a:COMPLETED"]);
    expect(pretend(0, 11_000).tasks[0]).toMatchObject({
      status: "TIMED_OUT",
      reasonForIncompletion:
        "Task timed out after 11 seconds. Timeout configured as 10 seconds. Timeout policy configured to RETRY",
    });
    expect(pretend(6000, 0).tasks[0]).toMatchObject({
      status: "TIMED_OUT",
      reasonForIncompletion: expect.stringContaining("poll timed out"),
    });
  });
});
