import { describe, expect, test } from "vitest";
import { layOutAgent } from "./agent-layout.ts";

const labels = (config: unknown) => layOutAgent(config).nodes.map(({ label }) => label);
const edgeLabels = (config: unknown) => layOutAgent(config).edges.map(({ label }) => label);

describe("an agent as a picture", () => {
  test("shows its tools in a frame of their own, and which need approval", () => {
    const { nodes, edges } = layOutAgent({
      name: "support",
      model: "openai/gpt-4o-mini",
      tools: [{ name: "find" }, { name: "refund", approvalRequired: true }, { name: "ask", toolType: "human" }],
    });
    expect(nodes.map(({ label }) => label)).toEqual(["support", "Tools", "find", "refund", "ask"]);
    expect(nodes.filter(({ part }) => part?.needsApproval).map(({ label }) => label)).toEqual(["refund"]);
    expect(nodes.find(({ label }) => label === "ask")?.part).toMatchObject({ icon: "human", steps: ["tools", "2"] });
    expect(edges.map(({ from, to }) => [from, to])).toEqual([["/", "/tools"]]);
  });

  test("shows a sequence one below the other, other teams side by side", () => {
    const agents = [{ name: "a" }, { name: "b" }];
    const placed = (strategy: string) =>
      layOutAgent({ name: "team", strategy, agents })
        .nodes.slice(1)
        .map(({ x, y }) => ({ x, y }));
    const [first, second] = placed("sequential");
    expect(second?.y).toBeGreaterThan(first?.y ?? 0);
    expect(second?.x).toBe(first?.x);
    const [left, right] = placed("handoff");
    expect(right?.x).toBeGreaterThan(left?.x ?? 0);
    expect(right?.y).toBe(left?.y);
  });

  test("says by which rule the work goes to a member", () => {
    const team = {
      name: "team",
      strategy: "swarm",
      agents: [{ name: "billing" }, { name: "sales" }],
      handoffs: [{ type: "on_text_mention", text: "invoice", target: "billing" }],
    };
    expect(edgeLabels(team)).toEqual(["mentions invoice", "swarm"]);
  });

  test("an agent that serves as a tool is drawn as an agent, with what it has", () => {
    const tool = {
      name: "ask_expert",
      toolType: "agent_tool",
      config: { agentConfig: { name: "expert", tools: [{ name: "look_up" }] } },
    };
    expect(labels({ name: "boss", tools: [tool] })).toEqual(["boss", "expert", "Tools", "look_up"]);
  });

  test("whatever is typed is drawn", () => {
    for (const odd of [null, 7, [], { name: 1, tools: {}, agents: ["x", null], router: [] }]) {
      expect(labels(odd).length).toBeGreaterThan(0);
    }
    const deep: { name: string; agents: unknown[] } = { name: "x", agents: [] };
    deep.agents.push(deep);
    expect(labels(deep).length).toBeLessThan(20);
  });
});
