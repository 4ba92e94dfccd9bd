import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** Whether the caller brought a plan: then nobody has to make one. */
export function plannerRoute(input: { readonly staticPlan: Maybe<Json> }): "skip" | "plan" {
  const plan = input.staticPlan;
  if (typeof plan === "string") return plan.includes('"steps"') ? "skip" : "plan";
  const isMap = typeof plan === "object" && plan !== null && !Array.isArray(plan);
  return isMap && "steps" in plan ? "skip" : "plan";
}

type Entry = {
  readonly type: "text" | "url";
  readonly text?: string;
  readonly url?: string;
  readonly maxBytes?: number;
  readonly body?: Maybe<Json>;
  readonly statusCode?: Maybe<number>;
};

/** What a planner should know, one section for each note and document. */
export function buildPlannerContext(input: { readonly entries: Maybe<readonly Entry[]> }): string {
  const sections = (input.entries ?? []).map((entry) => {
    if (entry.type === "text") return entry.text ?? "";
    const heading = `## ${entry.url ?? ""}`;
    const { statusCode: status, body, maxBytes } = entry;
    if (typeof status === "number" && status >= 400) return `${heading}\n[doc fetch failed status=${status}]`;
    if (body === null || body === undefined || body === "") return `${heading}\n[doc unavailable]`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const limit = maxBytes ?? 16384;
    return `${heading}\n${text.length > limit ? `${text.slice(0, limit)}\n[truncated]` : text}`;
  });
  const said = sections.filter((section) => section !== "");
  return said.length === 0 ? "" : `# Reference context\n\n${said.join("\n\n")}`;
}

type Extracted = { readonly plan_json: JsonObject | null; readonly markdown_plan: string };

/** The plan, wherever it is: brought by the caller, a planner's object, or somewhere in its text or in a tool's. */
export function extractPlan(input: {
  readonly staticPlan: Maybe<Json>;
  readonly rawResult: Maybe<Json>;
  readonly coercedResult: Maybe<string>;
  readonly planReaderContent: Maybe<Json>;
}): Extracted {
  const withSteps = (value: unknown): JsonObject | null => {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMap && "steps" in value ? (value as JsonObject) : null;
  };
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  /** The object around the first "steps": from an opening brace before it to the brace that closes that one. */
  const around = (text: string): JsonObject | null => {
    const at = text.indexOf('"steps"');
    if (at === -1) return null;
    for (
      let start = text.lastIndexOf("{", at);
      start !== -1;
      start = start === 0 ? -1 : text.lastIndexOf("{", start - 1)
    ) {
      let depth = 0;
      let isInText = false;
      for (let index = start; index < text.length; index++) {
        const character = text[index];
        if (isInText) {
          if (character === "\\") index++;
          else if (character === '"') isInText = false;
          continue;
        }
        if (character === '"') isInText = true;
        else if (character === "{") depth++;
        else if (character === "}" && --depth === 0) {
          const found = withSteps(parse(text.slice(start, index + 1)));
          if (found !== null) return found;
          break;
        }
      }
    }
    return null;
  };
  const inText = (text: string): JsonObject | null => {
    const whole = withSteps(parse(text));
    if (whole !== null) return whole;
    for (const block of text.matchAll(/```(?:json)?\s*\n([\s\S]*?)```/g)) {
      const found = withSteps(parse(block[1] ?? ""));
      if (found !== null) return found;
    }
    return around(text);
  };
  const from = (value: Maybe<Json>): JsonObject | null =>
    typeof value === "string" ? inText(value) : withSteps(value);
  const text = input.coercedResult ?? "";
  const reader = input.planReaderContent;
  const readerText =
    typeof reader === "string" ? reader : reader === null || reader === undefined ? "" : JSON.stringify(reader);
  const plan = from(input.staticPlan) ?? from(input.rawResult) ?? inText(text) ?? from(reader);
  return { plan_json: plan, markdown_plan: text !== "" ? text : readerText };
}

/** Whether there is anything to carry out. */
export function hasPlan(input: { readonly json: Maybe<JsonObject> }): "has_plan" | "no_plan" {
  const steps = input.json?.["steps"];
  return Array.isArray(steps) && steps.length > 0 ? "has_plan" : "no_plan";
}

export function compileStatus(input: {
  readonly wfDef: Maybe<Json>;
  readonly err: Maybe<Json>;
}): "compiled" | "compile_failed" {
  const hasError = input.err !== null && input.err !== undefined && input.err !== "";
  return hasError || input.wfDef === null || input.wfDef === undefined ? "compile_failed" : "compiled";
}

export function executionStatus(input: { readonly taskStatus: Maybe<string> }): "success" | "failed" {
  return input.taskStatus === "COMPLETED" ? "success" : "failed";
}

/** What a fallback agent is told: the task, the plan that was tried and what went wrong with it. */
export function fallbackPrompt(input: {
  readonly originalPrompt: Maybe<string>;
  readonly plan: Maybe<string>;
  readonly execOutput?: Maybe<Json>;
}): string {
  const parts = [input.originalPrompt ?? ""];
  if (input.plan) parts.push(`Plan:\n${input.plan}`);
  if (input.execOutput !== null && input.execOutput !== undefined) {
    parts.push(`Execution errors:\n${JSON.stringify(input.execOutput)}`);
  }
  return parts.join("\n\n");
}

/** The answer of a plan as text. */
export function resultText({ r }: { readonly r: Maybe<Json> }): string {
  if (r === null || r === undefined) return "";
  return typeof r === "object" ? JSON.stringify(r) : String(r);
}
