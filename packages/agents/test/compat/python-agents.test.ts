import { type AiServer, startAiServer } from "@downbeat/ai/testing";
import { openaiCalls, openaiResponse } from "@downbeat/ai/testing/replies";
import type { JsonObject } from "@downbeat/engine";
import {
  areFrameworksRequired,
  frameworks,
  isPythonRequired,
  python,
  testChecks,
} from "@downbeat/server/testing/python";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extension } from "../../src/index.ts";
import { type AgentServer, calling, heard, type Input, says, startAgentServer } from "../support/agent-server.ts";

test("the Python client is there when it has to be", () => {
  if (isPythonRequired) expect(python).toBeDefined();
  if (areFrameworksRequired) expect(frameworks).toBeDefined();
});

describe.skipIf(python === undefined)("the Python SDK", () => {
  let server: AgentServer;
  beforeAll(async () => {
    server = await startAgentServer({
      settings: {
        "service.workflow-message-queue.enabled": "true",
        "service.secrets.type": "database",
        "service.secrets.key": Buffer.alloc(32, 3).toString("base64"),
        "service.secrets.allow-read": "true",
      },
    });
    scriptModels(server);
  });
  afterAll(async () => {
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  describe("AgentRuntime", () => testChecks(new URL("python_runtime.py", import.meta.url), () => server.client.base));
  describe("OrkesAgentClient and OrkesSecretClient", () =>
    testChecks(new URL("python_agents.py", import.meta.url), () => server.client.base));
});

describe.skipIf(python === undefined)("the Python SDK with a model that a provider serves", () => {
  let server: AiServer;
  beforeAll(async () => {
    server = await startAiServer({
      settings: { "service.workflow-message-queue.enabled": "true" },
      extensions: [extension],
    });
    server.provider.answer(({ body }) => speak(body));
  });
  afterAll(async () => {
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  testChecks(new URL("python_model.py", import.meta.url), () => server.client.base);

  if (frameworks === undefined) {
    process.stdout.write(
      "Skipping the tests with frameworks for agents: google-adk and langchain cannot be imported\n",
    );
  }
  describe.skipIf(frameworks === undefined)("agents of other frameworks", () =>
    testChecks(new URL("python_frameworks.py", import.meta.url), () => server.client.base, frameworks),
  );
});

type Item = { readonly type?: string; readonly output?: string };
type Offered = {
  readonly name: string;
  readonly parameters?: { readonly properties?: Readonly<Record<string, unknown>> };
};

/** A model that calls its first tool, and then says what came of it. */
function speak(body: Readonly<Record<string, unknown>>) {
  const heard = (body["input"] ?? []) as readonly Item[];
  const last = heard.findLast(({ type }) => type === "function_call_output");
  const [tool] = (body["tools"] ?? []) as readonly Offered[];
  if (last !== undefined) return openaiResponse(last.output ?? "");
  if (tool === undefined) return openaiResponse(JSON.stringify(heard));
  const args = Object.fromEntries(Object.keys(tool.parameters?.properties ?? {}).map((name) => [name, "x"]));
  return openaiCalls({ id: "call_1", name: tool.name, args: JSON.stringify(args) });
}

/** What the models of the checks' agents say. */
function scriptModels({ script }: AgentServer): void {
  const danger = calling(["py_danger", { what: "x" }]);
  const weather = calling(["py_weather", { city: "Rome" }]);
  const warm = says("It is warm in Rome");
  const tokens = { promptTokens: 10, completionTokens: 5, tokenUsed: 15 };
  script("py_runner_llm", [
    { ...weather, ...tokens },
    { ...warm, ...tokens },
  ]);
  // One after the other for as many runs as there are.
  const inTurn =
    (...answers: readonly JsonObject[]) =>
    (_: Input, turn: number) =>
      answers[(turn - 1) % answers.length] ?? says("");
  for (const name of ["py_heard", "py_async", "py_served"]) script(`${name}_llm`, inTurn(weather, warm));
  for (const name of ["py_gated", "py_gated_async", "py_signalled", "py_stopped"])
    script(`${name}_llm`, inTurn(danger, says("done")));
  for (const name of ["py_refused", "py_handled"]) script(`${name}_llm`, [danger]);
  for (const name of ["py_client", "py_client_async"])
    script(`${name}_llm`, [calling(["ask_first", { q: "?" }]), says("thanks")]);
  script("py_deployed_llm", () => says("by name"));
  script("py_session_llm", (input, turn) => says(turn === 1 ? "Hello" : heard(input).join("\n")));
  script("py_failed_llm", [says("the secret is x")]);
  script("py_secretive_llm", [calling(["py_secret"]), says("6 characters")]);
  script("py_remembering_llm", [calling(["py_stateful", { what: "x" }]), says("noted x")]);
  script("py_guarded_llm", [says("SHOUTING"), says("call 1234"), says("all calm")]);
  script("py_noted_llm", [says("noted")]);
  script("py_ends_llm", [weather, says("ENOUGH said")]);
  script("py_stops_llm", () => ({ ...weather, result: "enough" }));
  script("py_one_llm", () => says("one's part"));
  script("py_two_llm", () => says("two's part"));
  script("py_handoff_router_llm", [says("py_one"), says("DONE")]);
  script("py_handoff_final", [says("the whole")]);
  script("py_router_final", [says("the route's answer")]);
  script("py_swarm_llm", [says("TWO should say")]);
  script("py_swarm_final", [says("the swarm's answer")]);
  script("py_plan_planner_llm", [says("{}")]);
}
