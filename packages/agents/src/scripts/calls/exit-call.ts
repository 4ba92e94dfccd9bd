import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** Nothing to do: the loop looks at the call itself. */
export function exitCall({ name }: Call): JsonObject {
  return {
    name,
    type: "INLINE",
    inputParameters: { evaluatorType: "graaljs", expression: "({ result: 'The loop ends with this turn.' })" },
  };
}
