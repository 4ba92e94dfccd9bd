import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import {
  type AgentServer,
  anAgent,
  aTool,
  calling,
  heard,
  says,
  tasksOf,
  useAgentServer,
} from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
  // A function guardrail as the SDKs write one: it finds fault with texts that say so.
  server.serve("judge_by_hand", ({ content }) => {
    const text = String(content);
    if (text.includes("repair"))
      return { passed: false, message: "needs repair", on_fail: "fix", fixed_output: "repaired" };
    return text.includes("bad") ? { passed: false, message: "bad word" } : { passed: true };
  });
});

const noDigits = (more: JsonObject = {}): JsonObject => ({
  name: "no-digits",
  guardrailType: "regex",
  patterns: ["\\d+"],
  message: "No digits",
  ...more,
});
const byHand = (more: JsonObject = {}): JsonObject => ({
  name: "by_hand",
  guardrailType: "custom",
  taskName: "judge_by_hand",
  ...more,
});
const byModel = (more: JsonObject = {}): JsonObject => ({
  name: "polite",
  guardrailType: "llm",
  policy: "Be polite",
  ...more,
});

/** Kinds that look at the answer, an answer each refuses, and one it lets pass. */
const kinds = [
  ["regex", noDigits, "call 555", "call me"],
  ["custom", byHand, "bad answer", "good answer"],
  ["llm", byModel, "go away", "please come in"],
  [
    "external",
    (more: JsonObject = {}) => ({ ...more, name: "judge_by_hand", guardrailType: "external" }),
    "bad answer",
    "good answer",
  ],
] as const;

/** A judge that finds rude what says "away". */
const scriptJudge = (agent: string): void => {
  server.script(`${agent}_llm_guardrail_polite_llm`, ({ messages }) => {
    const isRude = JSON.stringify(messages).includes("away");
    return says({ passed: !isRude, reason: isRude ? "It is rude" : "" });
  });
};

describe.each(kinds)("a guardrail of kind %s on the answer", (_kind, guardrail, refused, passed) => {
  test("lets a good answer pass", async () => {
    const agent = anAgent({ guardrails: [guardrail({ onFail: "raise" })] });
    scriptJudge(agent.name);
    server.script(`${agent.name}_llm`, [says(passed)]);
    const run = await server.run(agent);
    expect([run.status, run.output["result"], run.output["finishReason"]]).toEqual(["COMPLETED", passed, "STOP"]);
  });

  test("retry: sends the model back with the message", async () => {
    const agent = anAgent({ guardrails: [guardrail({ onFail: "retry" })] });
    scriptJudge(agent.name);
    server.script(`${agent.name}_llm`, [says(refused), says(passed)]);
    const run = await server.run(agent);
    expect([run.status, run.output["result"]]).toEqual(["COMPLETED", passed]);
    const told = tasksOf(run, `${agent.name}_guardrail_retry`)[0]?.outputData["result"];
    expect(told).toMatch(/^\[Output validation failed: .+\. Please revise your response\.\]$/);
    expect(server.asked(`${agent.name}_llm`)[1]?.["participants"]).toEqual({
      [`${agent.name}_guardrail_retry`]: "user",
    });
  });

  test("retry: gives up after maxRetries", async () => {
    const agent = anAgent({ guardrails: [guardrail({ onFail: "retry", maxRetries: 2 })] });
    scriptJudge(agent.name);
    server.script(`${agent.name}_llm`, () => says(refused));
    const run = await server.run(agent);
    expect([run.status, tasksOf(run, `${agent.name}_llm`).length]).toEqual(["FAILED", 2]);
  });

  test("raise: ends the run with the message", async () => {
    const agent = anAgent({ guardrails: [guardrail({ onFail: "raise" })] });
    scriptJudge(agent.name);
    server.script(`${agent.name}_llm`, [says(refused)]);
    const run = await server.run(agent);
    expect(run.status).toBe("FAILED");
    expect(run.reasonForIncompletion).toMatch(/No digits|bad word|It is rude/);
  });

  test("human: a person lets it pass, puts another text in its place, or refuses it", async () => {
    const outcomes: unknown[] = [];
    for (const answer of [
      { approved: true },
      { approved: true, edited_output: "edited" },
      { approved: false, reason: "no way" },
    ]) {
      const agent = anAgent({ guardrails: [guardrail({ onFail: "human" })] });
      scriptJudge(agent.name);
      server.script(`${agent.name}_llm`, [says(refused)]);
      const id = await server.start(agent);
      const asked = await server.question(id);
      expect(asked.inputData).toMatchObject({ llm_output: refused, response_schema: { required: ["approved"] } });
      await server.answer(id, answer);
      const run = await server.ended(id);
      outcomes.push([run.status, run.output["result"] ?? run.reasonForIncompletion]);
    }
    expect(outcomes).toEqual([
      ["COMPLETED", refused],
      ["COMPLETED", "edited"],
      ["FAILED", "no way"],
    ]);
  });
});

test("fix: a worker's repaired text is the answer; where there is none, the run fails", async () => {
  const agent = anAgent({ guardrails: [byHand({ onFail: "fix" })] });
  server.script(`${agent.name}_llm`, [says("please repair")]);
  expect((await server.run(agent)).output).toMatchObject({ result: "repaired", finishReason: "STOP" });
  const other = anAgent({ guardrails: [noDigits({ onFail: "fix" })] });
  server.script(`${other.name}_llm`, [says("555")]);
  expect((await server.run(other)).status).toBe("FAILED");
});

test("a repair of an answer that another guardrail sends back does not outlive it", async () => {
  const agent = anAgent({ guardrails: [byHand({ onFail: "fix" }), noDigits({ onFail: "retry" })] });
  server.script(`${agent.name}_llm`, [says("repair 1"), says("fine")]);
  expect((await server.run(agent)).output["result"]).toBe("fine");
});

test("a turn that calls tools is not looked at, and a judge is not asked about it", async () => {
  const agent = anAgent({ tools: [aTool("look_up")], guardrails: [byModel({ onFail: "raise" })] });
  scriptJudge(agent.name);
  server.script(`${agent.name}_llm`, [calling(["look_up", { q: "x" }]), says("come in")]);
  const run = await server.run(agent);
  expect([run.status, server.asked(`${agent.name}_llm_guardrail_polite_llm`).length]).toEqual(["COMPLETED", 1]);
  expect(
    tasksOf(run, `${agent.name}_llm_guardrail_polite`).map(({ outputData }) => outputData["result"]),
  ).toMatchObject([
    { passed: true, guardrail_name: "polite" },
    { passed: true, guardrail_name: "polite" },
  ]);
});

test("a judge whose answer cannot be read fails the check", async () => {
  const agent = anAgent({ guardrails: [byModel({ onFail: "raise" })] });
  server.script(`${agent.name}_llm_guardrail_polite_llm`, [says("hm")]);
  server.script(`${agent.name}_llm`, [says("hello")]);
  expect((await server.run(agent)).reasonForIncompletion).toBe("Unparseable LLM response");
});

describe("a guardrail on the input", () => {
  test("raise, and retry too: ends the run before the model is asked", async () => {
    for (const onFail of ["raise", "retry"]) {
      const agent = anAgent({ guardrails: [noDigits({ position: "INPUT", onFail })] });
      const run = await server.run(agent, { prompt: "call 555" });
      expect([run.status, run.reasonForIncompletion, server.asked(`${agent.name}_llm`).length]).toEqual([
        "FAILED",
        "No digits",
        0,
      ]);
    }
  });

  test("fix: the repaired prompt is the one the model sees", async () => {
    const agent = anAgent({ guardrails: [byHand({ position: "input", onFail: "fix" })] });
    server.script(`${agent.name}_llm`, [says("ok")]);
    await server.run(agent, { prompt: "repair me" });
    expect(heard(server.asked(`${agent.name}_llm`)[0]).at(-1)).toBe("user: repaired");
  });

  test("human: an edited prompt is the one the model sees", async () => {
    const agent = anAgent({ guardrails: [noDigits({ position: "input", onFail: "human" })] });
    server.script(`${agent.name}_llm`, [says("ok")]);
    const id = await server.start(agent, { prompt: "call 555" });
    await server.answer(id, { approved: true, edited_output: "call me" });
    expect((await server.ended(id)).status).toBe("COMPLETED");
    expect(heard(server.asked(`${agent.name}_llm`)[0]).at(-1)).toBe("user: call me");
  });

  test("stands before a team as well", async () => {
    const sub = anAgent();
    const agent = anAgent({
      agents: [sub],
      strategy: "sequential",
      guardrails: [byHand({ position: "input", onFail: "fix" })],
    });
    server.script(`${sub.name}_llm`, [says("ok")]);
    await server.run(agent, { prompt: "repair me" });
    expect(heard(server.asked(`${sub.name}_llm`)[0]).at(-1)).toBe("user: repaired");
  });
});

describe("a guardrail on a tool", () => {
  const guarded = (onFail: string) => aTool("look_up", { guardrails: [noDigits({ onFail })] });

  test("raise: ends the run before the call", async () => {
    const agent = anAgent({ tools: [guarded("raise")] });
    server.script(`${agent.name}_llm`, [calling(["look_up", { q: "555" }])]);
    const run = await server.run(agent);
    expect([run.status, run.tasks.some(({ taskType }) => taskType === "look_up")]).toEqual(["FAILED", false]);
  });

  test("retry: the call is not made, the model hears why and may try another", async () => {
    const agent = anAgent({ tools: [guarded("retry")] });
    server.script(`${agent.name}_llm`, [
      calling(["look_up", { q: "555" }]),
      calling(["look_up", { q: "me" }]),
      says("ok"),
    ]);
    const run = await server.run(agent);
    expect(run.output["result"]).toBe("ok");
    expect(run.tasks.filter(({ taskType }) => taskType === "look_up").map(({ inputData }) => inputData["q"])).toEqual([
      "me",
    ]);
    expect(server.asked(`${agent.name}_llm`)[1]?.["participants"]).toEqual({
      [`${agent.name}_guardrail_retry_tg`]: "user",
    });
  });

  test("human: a person lets the call be made", async () => {
    const agent = anAgent({ tools: [guarded("human")] });
    server.script(`${agent.name}_llm`, [calling(["look_up", { q: "555" }]), says("ok")]);
    const id = await server.start(agent);
    await server.answer(id, { approved: true });
    const run = await server.ended(id);
    expect([run.status, run.tasks.filter(({ taskType }) => taskType === "look_up").length]).toEqual(["COMPLETED", 1]);
  });
});

test("a team's answer is guarded: sent back with the message, and its context is handed on", async () => {
  const sub = anAgent();
  const agent = anAgent({ agents: [sub], strategy: "sequential", guardrails: [noDigits({ onFail: "retry" })] });
  server.script(`${sub.name}_llm`, [says("call 555"), says("call me")]);
  const run = await server.run(agent, { prompt: "hello", context: { user: "Ann" } });
  expect(run.output).toEqual({
    result: "call me",
    finishReason: "STOP",
    rejectionReason: null,
    context: { user: "Ann" },
  });
  expect(heard(server.asked(`${sub.name}_llm`)[1]).at(-1)).toContain("hello\n\n[Output validation failed: No digits.");
});
