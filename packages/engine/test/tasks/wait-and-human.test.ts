import { describe, expect, test } from "vitest";
import { aWorkflow, entry, human, wait } from "../builders.ts";
import { simulate } from "../simulate.ts";

const startWait = (input: Record<string, string | number>, extra = {}) =>
  simulate(aWorkflow().add(wait("w", input, extra))).start();

describe("WAIT", () => {
  test("for a duration completes at its end, by a timer, with an empty output", () => {
    const run = startWait({ duration: "1 minute" });
    expect(run.task("w")).toMatchObject({
      status: "IN_PROGRESS",
      waitTimeout: run.world.now + 60_000,
      callbackAfterSeconds: 60,
    });
    expect(run.advance(59_999).status).toBe("RUNNING");
    expect(run.advance(1).status).toBe("COMPLETED");
    expect(run.task("w").output).toEqual({});
  });

  test("until a time completes then", () => {
    const run = startWait({ until: "2023-11-14 22:14 UTC" });
    expect(run.advance(39_000).status).toBe("RUNNING");
    expect(run.advance(2000).status).toBe("COMPLETED");
  });

  test("until a time that is past completes at once", () => {
    expect(startWait({ until: "2020-01-01" }).status).toBe("COMPLETED");
  });

  test("for nothing waits for a word", () => {
    const run = startWait({});
    expect(run.task("w").callbackAfterSeconds).toBe(2_147_483_647);
    expect(run.advance(1e9).status).toBe("RUNNING");
    expect(run.complete("w", { said: "yes" }).output).toEqual({ said: "yes" });
  });

  test("with blank input counts as without", () => {
    expect(startWait({ duration: " ", until: "" }).task("w").status).toBe("IN_PROGRESS");
  });

  test.each([
    [{ duration: "1s", until: "2020-01-01" }, "Both 'duration' and 'until' specified. Please provide only one input"],
    [{ until: "next week" }, "Invalid/Unsupported Wait Until format.  Provided: next week"],
    [{ duration: "1.5s" }, "Not valid duration: 1.5s"],
    [{ duration: 10 }, "Not valid duration: 10"],
  ])("with %o fails for good", (input, reason) => {
    const run = startWait(input);
    expect(run.task("w")).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR", reasonForIncompletion: reason });
  });

  test("may be ended early", () => {
    const run = startWait({ duration: "1h" }).complete("w");
    expect(run.status).toBe("COMPLETED");
    expect(run.world.nextTimer()).toBeUndefined();
  });

  test("ends during a pause, and the flow goes on after it", () => {
    const run = simulate(
      aWorkflow()
        .add(wait("w", { duration: "5s" }))
        .once("after"),
    )
      .start()
      .pause()
      .advance(5000);
    expect(run.list).toEqual(["w:COMPLETED"]);
    expect(run.resume().list).toEqual(["w:COMPLETED", "after:SCHEDULED"]);
  });

  test("a progress report does not end it or move its time", () => {
    const run = startWait({ duration: "10s" }).progress("w", { output: { seen: true } });
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("COMPLETED");
  });

  test("a stray timer does nothing", () => {
    const run = startWait({});
    run.send({ kind: "timer", no: 1 });
    expect(run.task("w").status).toBe("IN_PROGRESS");
  });
});

describe("HUMAN and YIELD", () => {
  test.each(["HUMAN", "YIELD"])("%s is open until someone ends it", (type) => {
    const run = simulate(aWorkflow().add(entry(type, "h", { inputParameters: { ask: "${workflow.input.q}" } }))).start({
      q: "?",
    });
    expect(run.task("h")).toMatchObject({ status: "IN_PROGRESS", input: { ask: "?" }, startTime: run.world.now });
    expect(run.complete("h", { answer: 42 }).output).toEqual({ answer: 42 });
  });

  test("a failed HUMAN fails the execution", () => {
    expect(
      simulate(aWorkflow().add(human("h")))
        .start()
        .fail("h").status,
    ).toBe("FAILED");
  });
});
