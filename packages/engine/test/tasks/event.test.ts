import { describe, expect, test } from "vitest";
import type { PublishEvent } from "../../src/index.ts";
import { aWorkflow, entry, fork, join, once, setVariable } from "../builders.ts";
import { simulate } from "../simulate.ts";

const shown = ({ names, messageId, payload }: PublishEvent) => ({ names, messageId, payload: payload.value });

describe("EVENT", () => {
  test("publishes its input and what it belongs to, and completes", () => {
    const task = entry("EVENT", "e", { sink: "service:paid", inputParameters: { order: "${workflow.input.id}" } });
    const run = simulate(aWorkflow().add(task)).start({ id: 7 });
    const output = {
      order: 7,
      sink: "service:paid",
      asyncComplete: false,
      workflowInstanceId: run.id,
      workflowType: "w",
      workflowVersion: 1,
      correlationId: null,
      taskToDomain: {},
      event_produced: "service:w:paid",
    };
    expect([run.status, run.task("e").output]).toEqual(["COMPLETED", output]);
    expect(run.world.published.map(shown)).toEqual([
      { names: ["service:w:paid", "service:paid"], messageId: run.task("e").id, payload: output },
    ]);
  });

  test.each([
    ["conductor", ["conductor:w:e"]],
    ["conductor:x:y", ["conductor:w:x:y", "conductor:x:y"]],
    ["service:${workflow.input.n}", ["service:w:dyn", "service:dyn"]],
  ])("to %s goes by the names %j", (sink, names) => {
    const run = simulate(aWorkflow().add(entry("EVENT", "e", { sink }))).start({ n: "dyn" });
    expect(run.world.published[0]?.names).toEqual(names);
  });

  test.each([
    ["zzz:abc", "Error loading queue:zzz:abc, for task:ID, error: Unknown queue type zzz"],
    ["abc", "Error loading queue:abc, for task:ID, error: Illegal event abc"],
    ["${workflow.input.none}", "Error loading queue:null, for task:ID, error: Illegal event null"],
  ])("to %s fails", (sink, reason) => {
    const run = simulate(aWorkflow().add(entry("EVENT", "e", { sink }))).start();
    const { status, id, reasonForIncompletion } = run.task("e");
    expect([status, reasonForIncompletion]).toEqual(["FAILED", reason.replace("ID", id)]);
    expect(run.world.published).toEqual([]);
  });

  test("that completes later waits for it", () => {
    const run = simulate(aWorkflow().add(entry("EVENT", "e", { sink: "service:x", asyncComplete: true }))).start();
    expect([run.task("e").status, run.world.published.length]).toEqual(["IN_PROGRESS", 1]);
    expect(run.complete("e").status).toBe("COMPLETED");
  });

  describe("to a broker", () => {
    const options = { settings: { sinks: new Set(["kafka"]) } };
    const toKafka = (more: object = {}) => aWorkflow().add(entry("EVENT", "e", { sink: "kafka:orders", ...more }));

    test("waits for the server to publish it", () => {
      const run = simulate(toKafka(), options).start();
      expect([run.task("e").status, run.world.published]).toEqual(["SCHEDULED", []]);
      expect(run.complete("e", { event_produced: "kafka:orders" }).status).toBe("COMPLETED");
    });

    test("and completes later when it is told to", () => {
      const run = simulate(toKafka({ asyncComplete: true }), options).start();
      const { no } = run.task("e");
      run.send({ kind: "task-result", no, result: { status: "IN_PROGRESS", outputMode: "replace" } });
      expect(run.task("e").status).toBe("IN_PROGRESS");
      expect(run.complete("e").status).toBe("COMPLETED");
    });

    test("publishes nothing in a test", () => {
      const run = simulate(toKafka(), options).start({}, { test: true });
      expect([run.status, run.task("e").output["event_produced"]]).toEqual(["COMPLETED", "kafka:orders"]);
    });
  });

  test("publishes nothing in a test", () => {
    const run = simulate(aWorkflow().add(entry("EVENT", "e", { sink: "service:x" }))).start({}, { test: true });
    expect([run.status, run.world.published]).toEqual(["COMPLETED", []]);
  });
});

describe("onStateChange", () => {
  const noted = (transitions: string) => ({
    onStateChange: { [transitions]: [{ type: "note", payload: { at: "${workflow.input.at}", out: "${a.output.v}" } }] },
  });
  const messages = (published: readonly PublishEvent[]) =>
    published.map(({ messageId, payload }) => [messageId.split("_")[1], payload.value]);

  test("publishes on each of the transitions it names", () => {
    const run = simulate(aWorkflow().once("a", noted("onScheduled, onSuccess")))
      .start({ at: 1 })
      .complete("a", { v: 2 });
    expect(run.world.published[0]?.names).toEqual(["service:note"]);
    expect(messages(run.world.published)).toEqual([
      ["onScheduled", { at: 1, out: null }],
      ["onSuccess", { at: 1, out: 2 }],
    ]);
  });

  test("of a failed attempt, of its next one, and of what is cancelled with the execution", () => {
    const flow = aWorkflow().add(
      fork("f", [once("x", noted("onCancelled"))], [once("a", { ...noted("onFailed,onScheduled"), retryCount: 1 })]),
      join("j", ["x", "a"]),
    );
    const run = simulate(flow).start({ at: 1 }).fail("a").advance(60_000).fail("a");
    expect([run.status, messages(run.world.published).map(([transition]) => transition)]).toEqual([
      "FAILED",
      ["onScheduled", "onFailed", "onScheduled", "onFailed", "onCancelled"],
    ]);
  });

  test("of tasks the engine runs itself, and of a start that a poll reports", () => {
    const flow = aWorkflow()
      .add({ ...setVariable("s", {}), ...noted("onStart,onSuccess") })
      .once("a", noted("onStart"));
    const run = simulate(flow).start({ at: 1 });
    run.send({ kind: "claimed", no: run.task("a").no });
    expect(messages(run.world.published).map(([transition]) => transition)).toEqual([
      "onStart",
      "onSuccess",
      "onStart",
    ]);
  });
});
