import type { JsonObject } from "@downbeat/engine";
import { findObject, findText, listObjects } from "./raw.ts";

/** Google ADK's tool `exit_loop`: the server does what it asks itself, since a worker has no loop to end. */
export const exitLoopTool: JsonObject = {
  name: "exit_loop",
  description: "Exits the loop. Call this function only when you are instructed to do so.",
  inputSchema: { type: "object", properties: {} },
  toolType: "exit_loop",
  approvalRequired: false,
  stateful: false,
};

const handedIn: ReadonlySet<string> = new Set(["tool_context", "toolContext"]);

/** The kit's own, or one written after its example: it is given nothing but the kit's context. */
export function isExitLoop(tool: JsonObject): boolean {
  if ((findText(tool, "_worker_ref") ?? findText(tool, "name")) !== "exit_loop") return false;
  const schema = findObject(tool, "parameters") ?? findObject(findObject(tool, "func") ?? {}, "parameters") ?? {};
  return Object.keys(findObject(schema, "properties") ?? {}).every((name) => handedIn.has(name));
}

/** Whether an agent, or one of those it goes through, may end the loop around it. A loop inside ends only itself. */
export function mayExit(agent: JsonObject): boolean {
  if (listObjects(agent, "tools").some(isExitLoop)) return true;
  const goesThrough = ["SequentialAgent", "ParallelAgent"].includes(findText(agent, "_type") ?? "");
  return goesThrough && listObjects(agent, "sub_agents", "subAgents").some(mayExit);
}
