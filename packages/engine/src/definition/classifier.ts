import type { WorkflowDef } from "./types.ts";

/** What kind of thing a definition is: named by itself, an agent by its marks, else a workflow. */
export function classifierOf({ metadata }: Pick<WorkflowDef, "metadata">): string {
  const { classifier } = metadata;
  if (typeof classifier === "string" && classifier.trim() !== "") return classifier;
  return "agent_sdk" in metadata || "agentDef" in metadata ? "agent" : "workflow";
}
