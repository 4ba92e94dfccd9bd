import type { TaskDef } from "@downbeat/engine";
import { callNative } from "./call-native.ts";
import { callRemote } from "./call-remote.ts";
import { readAgentType } from "./input.ts";
import type { AgentTask } from "./services.ts";

/** AGENT: a run of an agent, of a remote one or of one of this server, to its end or to its next question. */
export const agent: AgentTask = {
  type: "AGENT",
  /** Agents fail for a moment now and then: a definition that asks for no retries gets these. */
  taskDef: (def: TaskDef): TaskDef =>
    def.retryCount >= 1 ? def : { ...def, retryCount: 3, retryDelaySeconds: 2, retryLogic: "LINEAR_BACKOFF" },
  run: async (call, services) =>
    readAgentType(call.input) === "a2a" ? await callRemote(call, services) : await callNative(call, services),
};
