import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import type { NormaliseOptions } from "./agent.ts";
import { normaliseFramework } from "./index.ts";
import { findObject, findText } from "./raw.ts";

/**
 * An AgentConfig in which every agent, at any depth, is described in our own terms. An SDK sends a framework agent that
 * is part of a native one (a skill among its sub-agents, an agent as a tool) as `{_framework, ...rawConfig}`. Throws
 * InvalidAgent.
 */
export function normaliseEmbedded(agentConfig: JsonObject, options: NormaliseOptions = {}): JsonObject {
  const framework = findText(agentConfig, "_framework", "framework");
  if (framework !== undefined) {
    return normaliseFramework(framework, findObject(agentConfig, "rawConfig") ?? agentConfig, options);
  }
  const normalise = (agent: Json): Json => (isJsonObject(agent) ? normaliseEmbedded(agent, options) : agent);
  return changeMembers(agentConfig, {
    agents: (agents) => changeItems(agents, normalise),
    planner: normalise,
    fallback: normalise,
    router: normalise,
    tools: (tools) =>
      changeItems(tools, (tool) => changeIn(tool, "config", (c) => changeIn(c, "agentConfig", normalise))),
  });
}

type Change = (value: Json) => Json;

function changeMembers(object: JsonObject, changes: { readonly [name: string]: Change }): JsonObject {
  const changed = Object.entries(changes).flatMap(([name, change]): [string, Json][] => {
    const value = ownMember(object, name);
    return value === undefined ? [] : [[name, change(value)]];
  });
  return { ...object, ...Object.fromEntries(changed) };
}

const changeItems = (list: Json, change: Change): Json => (Array.isArray(list) ? list.map(change) : list);

const changeIn = (object: Json, name: string, change: Change): Json =>
  isJsonObject(object) ? changeMembers(object, { [name]: change }) : object;
