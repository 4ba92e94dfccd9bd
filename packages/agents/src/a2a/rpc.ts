import type { WorkflowDef } from "@downbeat/engine";
import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { findText } from "../frameworks/raw.ts";
import type { Facade } from "./facade.ts";
import { readMessage } from "./message.ts";
import { RpcError } from "./rpc-error.ts";
import type { Task } from "./task.ts";

/** What a call asks for: an answer, or a task to be watched. */
export type Asked = { readonly result: Task } | { readonly watched: string };

export type RpcCall = { readonly id: Json; readonly method: string; readonly params: JsonObject };

/** Throws RpcError. */
export function readCall(body: unknown): RpcCall {
  if (!isJsonObject(body)) throw new RpcError(-32600, "Invalid Request: expected an object");
  const method = findText(body, "method");
  if (method === undefined) throw new RpcError(-32600, "Invalid Request: missing 'method'");
  const params = body["params"];
  return { id: body["id"] ?? null, method, params: isJsonObject(params) ? params : {} };
}

/** Does what is asked of an agent. Throws RpcError. */
export async function call(facade: Facade, def: WorkflowDef, { method, params }: RpcCall): Promise<Asked> {
  switch (method) {
    case "message/send":
    case "tasks/send":
      return { result: await facade.task(def, await facade.send(def, readMessage(params))) };
    case "message/stream":
    case "tasks/sendSubscribe":
      return { watched: await facade.send(def, readMessage(params)) };
    case "tasks/resubscribe":
      return { watched: (await facade.task(def, idIn(method, params))).id };
    case "tasks/get":
      return { result: await facade.task(def, idIn(method, params)) };
    case "tasks/cancel":
      return { result: await facade.cancel(def, idIn(method, params)) };
  }
  if (method.startsWith("tasks/pushNotificationConfig/"))
    throw new RpcError(
      -32003,
      "Push notifications are not supported: watch with message/stream, or ask with tasks/get",
    );
  throw new RpcError(-32601, `Method not found: ${method}`);
}

function idIn(method: string, params: JsonObject): string {
  const id = findText(params, "id");
  if (id === undefined) throw new RpcError(-32602, `${method} requires params.id (the task/execution id)`);
  return id;
}
