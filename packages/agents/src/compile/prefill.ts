import type { JsonObject } from "@downbeat/engine";
import { refName } from "../config/questions.ts";
import type { AgentConfig, PrefillTool } from "../config/types.ts";
import { escapeExpressions } from "../scripts/script-of.ts";
import type { Compiling } from "./compiling.ts";
import { systemMessage } from "./llm-task.ts";
import { staticCall } from "./static-call.ts";
import { forkJoin, join, type TaskList } from "./tasks.ts";

type Prefill = PrefillTool & { readonly ref: string; readonly task: JsonObject; readonly result: string };

const prefills = (config: AgentConfig, compiling: Compiling): readonly Prefill[] =>
  (config.prefillTools ?? []).map((prefill, index) => {
    const ref = `${refName(config.name)}_prefill_${index}`;
    const { toolName, arguments: args } = prefill;
    return { ...prefill, ref, ...staticCall(config, compiling, { ref, toolName, args }) };
  });

/** Tools that run before the model is asked anything, side by side. */
export function prefillTasks(config: AgentConfig, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const calls = prefills(config, compiling);
  if (calls.length < 2) return calls.map(({ task }) => task);
  return [
    forkJoin(
      `${base}_prefill_fork`,
      calls.map(({ task }) => [task]),
    ),
    join(
      `${base}_prefill_join`,
      calls.map(({ ref }) => ref),
    ),
  ];
}

/** What those tools gave, as the model reads it. */
export function prefillMessages(config: AgentConfig, compiling: Compiling): readonly JsonObject[] {
  const calls = prefills(config, compiling);
  if (calls.length === 0) return [];
  const sections = calls.map(({ toolName, arguments: args, result }) => {
    const given = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return `## ${escapeExpressions(`${toolName}(${given.join(", ")})`)}\n${result}`;
  });
  const note = "These results were fetched beforehand. They are fixed input, not tools you can call.";
  return [systemMessage(["# Pre-loaded context", note, ...sections].join("\n\n"))];
}
