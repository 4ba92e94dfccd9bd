import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { aWorkflow, doWhile, entry, fork, join, wait } from "../builders.ts";
import { type Run, simulate } from "../simulate.ts";

const pull = (ref: string, inputParameters: JsonObject = {}, extra = {}) =>
  entry("PULL_WORKFLOW_MESSAGES", ref, { inputParameters, ...extra });
const message = (n: number | string) => ({ kind: "message", text: `{"n":${JSON.stringify(n)}}` }) as const;
const push = (run: Run, ...numbers: readonly number[]): Run => {
  for (const n of numbers) run.send(message(n));
  return run;
};
const start = (input: JsonObject = {}, extra = {}) => simulate(aWorkflow().add(pull("p", input, extra))).start();

describe("PULL_WORKFLOW_MESSAGES", () => {
  test("waits for a message, which completes it in the same transition", () => {
    const run = start({ batchSize: 2 });
    expect(run.task("p")).toMatchObject({ status: "IN_PROGRESS", pollCount: 1, callbackAfterSeconds: 1 });
    expect(run.world.nextTimer()).toBeUndefined();
    const before = run.head.rev;
    push(run, 7);
    expect(run.head.rev).toBe(before + 1);
    expect([run.status, run.output]).toEqual(["COMPLETED", { messages: [{ n: 7 }], count: 1 }]);
    expect(run.stored.messages.size).toBe(0);
  });

  test("takes messages that came before it, in order, as many as it asks for and may have", () => {
    const flow = aWorkflow()
      .add(wait("w"))
      .add(pull("one"), pull("two", { batchSize: 2 }), pull("rest", { batchSize: "100" }));
    const run = push(simulate(flow).start(), 1, 2, 3, 4, 5);
    expect([...run.stored.messages.keys()]).toEqual([0, 1, 2, 3, 4]);
    run.complete("w");
    expect(run.task("one").output).toEqual({ messages: [{ n: 1 }], count: 1 });
    expect(run.task("two").output).toEqual({ messages: [{ n: 2 }, { n: 3 }], count: 2 });
    expect(run.task("rest").output).toEqual({ messages: [{ n: 4 }, { n: 5 }], count: 2 });
    expect(run.stored.messages.size).toBe(0);
  });

  test.each([[0], [-3], ["many"], [null], [{ a: 1 }]])("with batchSize %j takes one", (batchSize) => {
    const run = simulate(aWorkflow().add(wait("w")).add(pull("p", { batchSize }))).start();
    expect(push(run, 1, 2).complete("w").task("p").output).toEqual({ messages: [{ n: 1 }], count: 1 });
  });

  test("that does not block completes with nothing", () => {
    expect(start({ blocking: false }).output).toEqual({ messages: [], count: 0 });
    expect(start({ blocking: "false" }).status).toBe("RUNNING");
  });

  test("several that wait are served one message each, oldest first, whatever became of the others", () => {
    const refs = ["a", "b", "c", "d"];
    const run = simulate(aWorkflow().add(fork("fork", ...refs.map((ref) => [pull(ref)])), join("j", refs))).start();
    run.complete("a", { by: "hand" });
    push(run, 1);
    expect(run.list.filter((task) => task.includes("COMPLETED"))).toEqual([
      "fork:COMPLETED",
      "a:COMPLETED",
      "b:COMPLETED",
    ]);
    run.complete("c", { by: "hand" });
    push(run, 2);
    expect(run.task("d").output).toEqual({ messages: [{ n: 2 }], count: 1 });
    expect(run.status).toBe("COMPLETED");
  });

  test("one that waited and was ended by hand leaves the next message to the next task", () => {
    const run = simulate(aWorkflow().add(pull("a"), wait("w"), pull("b"))).start();
    run.complete("a");
    push(run, 1);
    expect(run.stored.messages.size).toBe(1);
    run.complete("w");
    expect(run.output).toEqual({ messages: [{ n: 1 }], count: 1 });
  });

  test("times out as its definition says, and the retry waits again", () => {
    const run = simulate(aWorkflow().add(pull("p", {}, { name: "limited" })), {
      taskDefs: { limited: { retryCount: 1, retryDelaySeconds: 0, timeoutSeconds: 10, timeoutPolicy: "RETRY" } },
    }).start();
    run.advance(10_000);
    expect(run.tasks.map(({ status }) => status)).toEqual(["TIMED_OUT", "IN_PROGRESS"]);
    expect(push(run, 1).output).toEqual({ messages: [{ n: 1 }], count: 1 });
  });

  test("in a loop takes every message once", () => {
    const loop = doWhile("loop", "$.loop.iteration < 4", [pull("p")]);
    const run = simulate(aWorkflow().add(loop)).start();
    push(run, 1, 2);
    expect(run.sendTogether(message(3), message(4))).toEqual([undefined, undefined]);
    const taken = run.tasks.filter(({ ref }) => ref === "p").map(({ output }) => output["messages"]);
    expect([run.status, taken]).toEqual(["COMPLETED", [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }], [{ n: 4 }]]]);
  });

  test("begins after its start delay, and takes what came meanwhile then", () => {
    const run = start({}, { startDelay: 5 });
    push(run, 1);
    expect(run.task("p").status).toBe("SCHEDULED");
    expect(run.advance(5000).output).toEqual({ messages: [{ n: 1 }], count: 1 });
  });

  test("takes no more than its output may hold", () => {
    const run = simulate(
      aWorkflow()
        .add(wait("w"))
        .add(pull("p", { batchSize: 3 }), pull("q", { batchSize: 3 })),
    ).start();
    for (let n = 0; n < 3; n++) run.send(message("x".repeat(4_000_000)));
    run.complete("w");
    expect([run.task("p").output["count"], run.task("q").output["count"]]).toEqual([2, 1]);
  });
});

describe("the message queue", () => {
  test("refuses what is more than it may hold, until some are taken", () => {
    const run = simulate(aWorkflow().add(wait("w"), pull("p"), wait("w2"))).start();
    push(run, 1, 2, 3, 4, 5);
    expect(() => push(run, 6)).toThrow(
      `Workflow message queue for workflowId=${run.id} has reached the maximum size of 5`,
    );
    run.complete("w");
    push(run, 6);
    expect([...run.stored.messages.values()].map((text) => JSON.parse(text))).toEqual(
      [2, 3, 4, 5, 6].map((n) => ({ n })),
    );
  });

  test("refuses a message that no output can hold", () => {
    expect(() => start().send(message("x".repeat(11_000_000)))).toThrow(
      /^Expected a message of at most \d+ bytes, got/,
    );
  });

  test("takes messages only while the execution runs", () => {
    const run = start().pause();
    expect(() => push(run, 1)).toThrow(`Workflow ${run.id} is not in RUNNING state (current: PAUSED)`);
    expect(push(run.resume(), 2).status).toBe("COMPLETED");
    expect(() => push(run, 3)).toThrow(`Workflow ${run.id} is not in RUNNING state (current: COMPLETED)`);
  });

  test("is empty when the execution has ended, and after a restart", () => {
    const run = simulate(aWorkflow().add(wait("w"), pull("p"))).start();
    push(run, 1, 2).terminate();
    expect(run.stored.messages.size).toBe(0);
    run.restart().complete("w");
    expect(run.task("p").status).toBe("IN_PROGRESS");
    expect(push(run, 3).output).toEqual({ messages: [{ n: 3 }], count: 1 });
  });

  test("forgets messages when none came for so long", () => {
    const run = simulate(aWorkflow().add(wait("w"), pull("p"))).start();
    push(run, 1).advance(50_000);
    push(run, 2).advance(50_000);
    expect([...run.stored.messages.keys()]).toEqual([0, 1]);
    run.advance(10_000).complete("w");
    expect(run.task("p").status).toBe("IN_PROGRESS");
    expect(run.stored.messages.size).toBe(0);
    expect(push(run, 3).output).toEqual({ messages: [{ n: 3 }], count: 1 });
  });

  test("leaves the head as small as it was", () => {
    const run = simulate(aWorkflow().add(wait("w"))).start();
    const sizeAfter = (...numbers: readonly number[]) => JSON.stringify(push(run, ...numbers).head).length;
    const size = sizeAfter(1);
    expect(sizeAfter(2, 3, 4, 5)).toBe(size);
  });
});
