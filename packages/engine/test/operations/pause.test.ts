import { describe, expect, test } from "vitest";
import { aWorkflow, once, repeat } from "../builders.ts";
import { simulate } from "../simulate.ts";

const start = () => simulate(aWorkflow().once("a").once("b")).start();

describe("pause", () => {
  test("keeps open tasks going and schedules nothing new", () => {
    const run = start().pause();
    expect(run.poll("a")).toBeDefined();
    expect(run.complete("a").list).toEqual(["a:COMPLETED"]);
  });

  test("twice is no error", () => {
    expect(start().pause().pause().status).toBe("PAUSED");
  });

  test("of an ended execution is refused", () => {
    const run = start().terminate();
    expect(() => run.pause()).toThrow(`Workflow w.1/${run.id} has ended, status cannot be updated.`);
  });

  test("does not stop a failure from ending the execution after resume", () => {
    const run = start().pause().fail("a");
    expect(run.status).toBe("PAUSED");
    expect(run.resume().status).toBe("FAILED");
  });

  test("does not stop terminate", () => {
    expect(start().pause().terminate().list).toEqual(["a:CANCELED"]);
  });
});

describe("resume", () => {
  test("follows up everything that ended meanwhile, in order", () => {
    const workflow = aWorkflow()
      .fork([once("x"), once("x2")], [once("y"), once("y2")])
      .join("j", ["x2", "y2"]);
    const run = simulate(workflow).start().pause().complete("y").complete("x");
    expect(run.resume().list.slice(-2)).toEqual(["x2:SCHEDULED", "y2:SCHEDULED"]);
  });

  test("completes an execution whose last task ended meanwhile", () => {
    expect(start().complete("a").pause().complete("b").resume().status).toBe("COMPLETED");
  });

  test("goes on with a loop whose iteration ended meanwhile", () => {
    const run = simulate(aWorkflow().add(repeat("l", 2, [once("w")])))
      .start()
      .pause()
      .complete("w")
      .resume();
    expect(run.task("w").referenceTaskName).toBe("w__2");
  });

  test("of a running execution is refused", () => {
    const run = start();
    expect(() => run.resume()).toThrow(
      `The workflow ${run.id} is not PAUSED so cannot resume. Current status is RUNNING`,
    );
  });

  test("a loop ended by hand during the pause takes its finished tasks with it", () => {
    const run = simulate(
      aWorkflow()
        .add(repeat("l", 3, [once("a"), once("b")]))
        .once("after"),
    ).start();
    run.pause().complete("a").complete("l").resume();
    expect(run.list).toEqual(["l:COMPLETED", "a__1:COMPLETED", "after:SCHEDULED"]);
  });
});

describe("an execution that waits for a slot", () => {
  const gated = () =>
    simulate(aWorkflow().once("a").with({ timeoutSeconds: 60, timeoutPolicy: "TIME_OUT_WF" })).start(
      {},
      { waitsForSlot: true, rateLimitKey: "key" },
    );

  test("schedules nothing until it is admitted", () => {
    const run = gated();
    expect([run.status, run.list]).toEqual(["RUNNING", []]);
    expect(run.send({ kind: "admit" }).list).toEqual(["a:SCHEDULED"]);
    expect(run.send({ kind: "admit" }).list).toEqual(["a:SCHEDULED"]);
  });

  test("keeps its place through pause and resume", () => {
    const run = gated().pause().resume();
    expect(run.stored.work.get(0)).toMatchObject({ state: "ready" });
    expect(run.send({ kind: "admit" }).list).toEqual(["a:SCHEDULED"]);
  });

  test("admitted while paused begins when it is resumed", () => {
    const run = gated().pause().send({ kind: "admit" });
    expect(run.list).toEqual([]);
    expect(run.resume().list).toEqual(["a:SCHEDULED"]);
  });

  test("terminated before it began may be restarted and completes", () => {
    const run = gated().terminate().restart();
    expect(run.complete("a").status).toBe("COMPLETED");
  });
});
