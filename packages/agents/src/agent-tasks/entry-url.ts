import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AgentTaskServices } from "./services.ts";

/** The address on the card that an editor put beside the task (`metadata.agent.a2a.agentCard.url`): it goes before agentUrl. */
export async function findEntryUrl({ runtime }: AgentTaskServices, call: OutsideCall): Promise<string | undefined> {
  const { task, head } = call;
  const text = task.entry ?? (await runtime.store.definitions.pinned(head.defHash));
  // Most definitions have none: that is told without reading them.
  if (text === undefined || !text.includes('"agentCard"')) return undefined;
  const root = JSON.parse(text) as JsonObject;
  const entry = entriesIn([root, ...listOf(root["tasks"])]).find((one) => one["taskReferenceName"] === task.ref);
  const url = ["metadata", "agent", "a2a", "agentCard", "url"].reduce<Json | undefined>(
    (at, key) => (isJsonObject(at) ? at[key] : undefined),
    entry,
  );
  return typeof url === "string" && url.trim() !== "" ? url : undefined;
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.flatMap((item) => (Array.isArray(item) ? item : [item])).filter(isJsonObject) : [];

function entriesIn(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.flatMap((entry) => {
    const cases = isJsonObject(entry["decisionCases"]) ? Object.values(entry["decisionCases"]) : [];
    const inside = [...cases, entry["defaultCase"], entry["forkTasks"], entry["loopOver"]].flatMap(listOf);
    return [entry, ...entriesIn(inside)];
  });
}
