import type { SchemaDef } from "../definition/types.ts";
import type { Json } from "../json.ts";
import type { Entry } from "../plan/plan.ts";
import type { Transition } from "./transition.ts";

/** Why a task's input or output does not fit the schema its definition enforces; undefined when it does. */
export function schemaViolation(
  t: Transition,
  entry: Entry,
  part: "input" | "output",
  value: () => Json,
): string | undefined {
  const { enforceSchema, inputSchema, outputSchema, name } = entry.taskDef;
  const schema: SchemaDef | undefined = part === "input" ? inputSchema : outputSchema;
  if (!enforceSchema || schema?.data === undefined) return undefined;
  const violation = t.context.checkSchema(schema.data, value());
  return violation === undefined ? undefined : `Expected the ${part} of ${name} to fit its ${part}Schema: ${violation}`;
}
