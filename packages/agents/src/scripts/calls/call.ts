import type { Json, JsonObject } from "@downbeat/engine";

/** How a tool is called; the compiler writes one for each tool of an agent. */
export type Dispatch = {
  readonly kind: CallKind;
  /** The dispatched task's type; of an agent the workflow's name. */
  readonly target: string;
  readonly version?: number;
  readonly retryCount: number;
  readonly retryDelaySeconds: number;
  readonly timeoutSeconds?: number;
  readonly maxCalls?: number;
  readonly optional: boolean;
  readonly displayName?: string;
  readonly description?: string;
  /** The tool's own settings; headers hold `#{NAME}` where a secret belongs. */
  readonly config: JsonObject;
};

export type CallKind = "worker" | "http" | "agent" | "system" | "human" | "messages" | "mcp" | "sandbox" | "exit";

/** One call, for the function that makes its task. */
export type Call = {
  readonly name: string;
  readonly tool: Dispatch;
  readonly args: JsonObject;
  readonly userPrompt: string;
  /** Escapes what others wrote, so that nothing in it is read as an expression. */
  readonly plain: (value: Json) => Json;
  /** Headers with their secrets as expressions. */
  readonly withSecrets: (headers: JsonObject) => JsonObject;
};

/** Name, type and input of the task that makes a call. */
export type CallTask = (call: Call) => JsonObject;
