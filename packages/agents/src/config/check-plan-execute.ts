import { isJsonObject, type Json } from "@downbeat/engine";
import { InvalidAgent } from "../invalid-agent.ts";
import type { AgentConfig } from "./types.ts";

/** What plan_execute asks for beside a planner: a source, context, tools and guardrails a plan can be made of. */
export function checkPlanExecute(config: AgentConfig): void {
  if (config.planner === undefined) {
    throw new InvalidAgent(
      "PLAN_EXECUTE strategy requires ``planner=<Agent>`` on the parent agent. The legacy ``agents=[planner, fallback]`` positional shape is no longer accepted — set the named slots ``planner=`` (required) and ``fallback=`` (optional) instead.",
    );
  }
  checkSource(config);
  checkContext(config);
  checkToolGuardrails(config);
  for (const { name, inputSchema } of config.tools ?? []) {
    if (inputSchema !== undefined) checkSchema(inputSchema, `tool '${name}' inputSchema`, "$");
  }
}

function checkSource({ name, planSource, tools = [] }: AgentConfig): void {
  if (planSource === undefined) return;
  if (planSource.tool.trim() === "") throw new InvalidAgent("plan_source must include a non-empty 'tool' field");
  if (tools.some((tool) => tool.name === planSource.tool)) return;
  const known = tools.map((tool) => tool.name).join(", ");
  throw new InvalidAgent(
    `plan_source.tool '${planSource.tool}' is not registered as a harness-level tool on '${name}'. Tools it has: ${known === "" ? "none" : known}`,
  );
}

function checkContext({ plannerContext = [] }: AgentConfig): void {
  for (const { headers = {} } of plannerContext) {
    for (const [header, value] of Object.entries(headers)) {
      if (/[\r\n]/.test(header + value)) {
        throw new InvalidAgent(
          `plannerContext header '${header.replace(/[\r\n]/g, " ")}' contains CR/LF, which no header may`,
        );
      }
    }
  }
}

/** A plan's tool that a guardrail stops can only be tried again by a fallback agent. */
function checkToolGuardrails({ name, fallback, tools = [] }: AgentConfig): void {
  if (fallback !== undefined) return;
  const offenders = tools.flatMap((tool) =>
    (tool.guardrails ?? [])
      .filter(({ onFail }) => onFail !== "raise")
      .map((guardrail) => `${tool.name}:${guardrail.name} (on_fail=${guardrail.onFail})`),
  );
  if (offenders.length === 0) return;
  throw new InvalidAgent(
    `PLAN_EXECUTE harness '${name}' has guardrails with on_fail=retry|fix|human but no fallback agent, which is who would act on them. Set fallback, or on_fail=raise on: ${offenders.join(", ")}`,
  );
}

const allowed = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "title",
  "description",
  "examples",
  "default",
  "$schema",
  "$id",
]);

const unsupported = new Set([
  "$ref",
  "$defs",
  "definitions",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "const",
  "format",
  "multipleOf",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "uniqueItems",
  "contains",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "prefixItems",
  "additionalItems",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

/** Arguments that a model writes in a plan are checked by a small validator: schemas may say no more than it knows. */
function checkSchema(schema: Json, where: string, path: string): void {
  if (!isJsonObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (!allowed.has(keyword)) {
      const kind = unsupported.has(keyword) ? "unsupported" : "unknown";
      throw new InvalidAgent(`${where}: uses ${kind} JSON Schema keyword '${keyword}' at ${path}`);
    }
    if (keyword === "properties" && isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) checkSchema(member, where, `${path}.properties.${name}`);
    }
    if (keyword === "items" || keyword === "additionalProperties") checkSchema(value, where, `${path}.${keyword}`);
  }
}
