import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { keepSelected, prepareDiscovery, resolveDiscovery, toolCatalog } from "./discovery.ts";

const source = { kind: "mcp" as const, key: "d", server: "http://m", headers: { A: "#{T}" }, approvalRequired: false };

test("discovered tools stand behind the agent's own, named ones only where names are given", () => {
  const found = [{ name: "a" }, { name: "b", inputSchema: { type: "object" } }, { description: "nameless" }, null];
  const prepared = run(
    prepareDiscovery,
    { d: found },
    { tools: [{ name: "own" }], sources: [{ ...source, toolNames: ["b"] }], maxTools: 2 },
  );
  expect(prepared.tools.map(({ name }) => name)).toEqual(["own", "b"]);
  expect(prepared.mcpConfig).toEqual({ b: { mcpServer: "http://m", headers: { A: "#{T}" } } });
  expect(prepared.needsFilter).toBe(false);
});

test("more tools than allowed ask for a choice; a server that gave nothing is no failure", () => {
  expect(
    run(prepareDiscovery, { d: [{ name: "a" }, { name: "b" }] }, { tools: [], sources: [source], maxTools: 1 })
      .needsFilter,
  ).toBe(true);
  expect(run(prepareDiscovery, { d: null }, { tools: [], sources: [source], maxTools: 1 }).tools).toEqual([]);
});

test("an interface description's operations know where their arguments go", () => {
  const output = {
    baseUrl: "http://h",
    tools: [
      { name: "op", method: "post", path: "/x/{id}", inputSchema: { properties: { id: { in: "path" }, n: {} } } },
    ],
  };
  const { apiConfig } = run(
    prepareDiscovery,
    { d: output },
    { tools: [], sources: [{ ...source, kind: "api", approvalRequired: true }], maxTools: 9 },
  );
  expect(apiConfig).toEqual({
    op: {
      baseUrl: "http://h",
      method: "post",
      path: "/x/{id}",
      headers: { A: "#{T}" },
      places: { id: "path", n: "body" },
      approvalRequired: true,
    },
  });
});

const all = [{ name: "a", description: "Does a" }, { name: "b" }, { name: "own" }];

test.each([
  [{ selected_tools: ["b"] }, ["b", "own"]],
  ['{"selected_tools": ["a"]}', ["a", "own"]],
  [["a"], ["a", "own"]],
  [{ selected_tools: ["nobody"] }, ["a", "b", "own"]],
  ["no idea", ["a", "b", "own"]],
  [null, ["a", "b", "own"]],
])("a choice of %j keeps %j", (selectedNames, expected) => {
  expect(
    run(keepSelected, { selectedNames, allTools: all }, { always: ["own"] }).tools.map(({ name }) => name),
  ).toEqual(expected);
});

test("the catalogue has a line for each tool; what is resolved is the choice, else all", () => {
  expect(run(toolCatalog, { tools: all }).catalog).toBe("- a: Does a\n- b: \n- own: ");
  expect(
    run(resolveDiscovery, { filtered_tools: null, prepared_tools: [1], mcpConfig: null, apiConfig: { x: 1 } }),
  ).toEqual({ tools: [1], mcpConfig: {}, apiConfig: { x: 1 } });
});
