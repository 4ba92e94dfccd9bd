import type { Json, JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** Runs another agent's workflow, in the same session. What it is asked is the first text among the arguments. */
export function agentCall({ name, tool, args, userPrompt, plain }: Call): JsonObject {
  const isText = (value: Json | undefined): value is string => typeof value === "string" && value.trim() !== "";
  const named = ["request", "prompt", "message", "input", "query"].map((key) => args[key]).find(isText);
  const prompt = named ?? Object.values(args).find(isText) ?? (isText(userPrompt) ? userPrompt : JSON.stringify(args));
  return {
    name,
    type: "SUB_WORKFLOW",
    subWorkflowParam: { name: tool.target, version: tool.version ?? 1 },
    inputParameters: {
      prompt: plain(prompt),
      session_id: "${workflow.input.session_id}",
      media: [],
      context: {},
      __today__: new Date().toISOString().slice(0, 10),
    },
  };
}
