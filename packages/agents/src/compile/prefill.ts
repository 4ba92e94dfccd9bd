import type { JsonObject } from "@downbeat/engine";
import { refName } from "../config/questions.ts";
import type { AgentConfig, PrefillTool } from "../config/types.ts";
import { escapeExpressions } from "../scripts/embed.ts";
import { authoredValue, outputOf } from "./expression.ts";
import { systemMessage } from "./llm-task.ts";
import { forkJoin, join, simple, type TaskList } from "./tasks.ts";

const prefills = (config: AgentConfig): readonly PrefillTool[] => config.prefillTools ?? [];

/** Tools that run before the model is asked anything, side by side. */
export function prefillTasks(config: AgentConfig): TaskList {
  const base = refName(config.name);
  const calls = prefills(config).map(({ toolName, arguments: args }, index) =>
    simple(`${base}_prefill_${index}`, toolName, authoredValue(args) as JsonObject),
  );
  if (calls.length < 2) return calls;
  const refs = calls.map((_call, index) => `${base}_prefill_${index}`);
  return [
    forkJoin(
      `${base}_prefill_fork`,
      calls.map((call) => [call]),
    ),
    join(`${base}_prefill_join`, refs),
  ];
}

/** What those tools gave, as the model reads it. */
export function prefillMessages(config: AgentConfig): readonly JsonObject[] {
  if (prefills(config).length === 0) return [];
  const base = refName(config.name);
  const sections = prefills(config).map(({ toolName, arguments: args }, index) => {
    const given = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return `## ${escapeExpressions(`${toolName}(${given.join(", ")})`)}\n${outputOf(`${base}_prefill_${index}`, "result")}`;
  });
  const note = "These results were fetched beforehand. They are fixed input, not tools you can call.";
  return [systemMessage(["# Pre-loaded context", note, ...sections].join("\n\n"))];
}
