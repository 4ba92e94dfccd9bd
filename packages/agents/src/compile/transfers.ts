import type { JsonObject } from "@downbeat/engine";
import { scriptOf } from "../scripts/script-of.ts";
import { checkTransfer } from "../scripts/swarm.ts";
import { outputOf } from "./expression.ts";
import { inline } from "./tasks.ts";

/** Tools by which a model hands over to another agent. Nobody serves them: the workflow itself does what they ask. */
export type Transfers = {
  readonly specs: readonly JsonObject[];
  /** The agent each of these tools leads to. */
  readonly targets: { readonly [tool: string]: string };
};

export const transferSpec = (name: string, description: string, inputSchema: JsonObject): JsonObject => ({
  name,
  type: "SIMPLE",
  description,
  selfDescribing: true,
  inputSchema,
  configParams: { selfDescribing: true },
});

/** Reads off the model's calls whether it hands over. */
export const transferCheck = (base: string, llm: string, { targets }: Transfers): JsonObject =>
  inline(
    `${base}_check_transfer`,
    scriptOf(checkTransfer, { transfers: targets }),
    { tool_calls: outputOf(llm, "toolCalls") },
    "INLINE",
  );
