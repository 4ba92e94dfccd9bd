import type { JsonObject } from "@downbeat/engine";
import { resolveContext } from "../scripts/resolve-context.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { workflowInput } from "./expression.ts";
import { inline } from "./tasks.ts";

/** The context a run starts with, an empty one where the caller brought none. */
export const resolveContextTask = (ref: string): JsonObject =>
  inline(ref, scriptOf(resolveContext), { ctx: workflowInput("context") });
