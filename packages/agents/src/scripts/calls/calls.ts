import { agentCall } from "./agent-call.ts";
import type { CallKind, CallTask } from "./call.ts";
import { exitCall } from "./exit-call.ts";
import { httpCall } from "./http-call.ts";
import { humanCall } from "./human-call.ts";
import { mcpCall } from "./mcp-call.ts";
import { messageCall } from "./message-call.ts";
import { sandboxCall } from "./sandbox-call.ts";
import { systemCall } from "./system-call.ts";
import { workerCall } from "./worker-call.ts";

const all: { readonly [kind in CallKind]: CallTask } = {
  worker: workerCall,
  http: httpCall,
  agent: agentCall,
  human: humanCall,
  messages: messageCall,
  system: systemCall,
  mcp: mcpCall,
  sandbox: sandboxCall,
  exit: exitCall,
};

/** The functions for these kinds of calls: a script carries no more than its agent needs. */
export const callsFor = (kinds: Iterable<CallKind>): { readonly [kind in CallKind]?: CallTask } =>
  Object.fromEntries([...new Set(kinds)].map((kind) => [kind, all[kind]]));
