import {
  type Api,
  type Body,
  EventStream,
  type FullReply,
  freeObject,
  HttpError,
  json,
  listOf,
  notFound,
  parseJson,
  type Reply,
  type Runtime,
  reasonOf,
  sendValue,
} from "@downbeat/server";
import { agentCard } from "../a2a/card.ts";
import { Facade } from "../a2a/facade.ts";
import { call, type RpcCall, readCall } from "../a2a/rpc.ts";
import { RpcError } from "../a2a/rpc-error.ts";
import type { FacadeKind } from "../a2a/task.ts";
import { streamTask } from "../a2a/task-stream.ts";
import { InvalidAgent } from "../invalid-agent.ts";
import type { Starts } from "../run/starts.ts";

/** A body that is no JSON is answered in the protocol's own words. */
const body: Body<unknown> = {
  schema: freeObject,
  description: "A call of JSON-RPC 2.0",
  required: true,
  read: (text) => text,
};

type Asker = { readonly protocol: string; readonly host: string };

/** Agents, and workflows that are meant for it, for clients of the A2A protocol. */
export function a2aRoutes(api: Api, runtime: Runtime, starts: Starts): void {
  for (const kind of ["workflow", "agent"] as const)
    facadeRoutes(api, runtime, new Facade(kind, runtime, starts), kind);
}

function facadeRoutes(api: Api, runtime: Runtime, facade: Facade, kind: FacadeKind): void {
  const baseFor = ({ protocol, host }: Asker): string => {
    const origin = runtime.config["service.a2a.server.public-url"] || `${protocol}://${host}`;
    return `${origin.replace(/\/+$/, "")}/api/a2a/${kind}`;
  };

  api.withRequest(
    "GET",
    `/a2a/${kind}`,
    {
      summary: `Each ${kind} that speaks A2A`,
      answers: { 200: json(listOf(freeObject), "Names, addresses and cards") },
    },
    ({ request }, reply) => {
      const base = baseFor(request);
      const found = facade.list().map((def) => ({
        name: def.name,
        url: `${base}/${encodeURIComponent(def.name)}`,
        agentCard: agentCard(runtime, kind, def, base),
      }));
      return sendValue(reply, found);
    },
  );

  const noAgent = (name: string): string => `No A2A agent exposed for ${kind} ${name}`;
  const card = (name: string, asker: Asker, reply: Reply) => {
    const def = facade.find(name);
    if (def === undefined) throw notFound(noAgent(name));
    return sendValue(reply, agentCard(runtime, kind, def, baseFor(asker)));
  };
  const cardOf = { summary: `The card of a ${kind}`, answers: { 200: json(freeObject, "Its agent card") } };
  api.withRequest("GET", `/a2a/${kind}/:name`, cardOf, ({ params, request }, reply) =>
    card(params.name, request, reply),
  );
  for (const file of ["agent-card.json", "agent.json"] as const)
    api.withRequest("GET", `/a2a/${kind}/:name/.well-known/${file}`, cardOf, ({ params, request }, reply) =>
      card(params.name, request, reply),
    );

  const speak = async (name: string, text: unknown, reply: FullReply) => {
    let asked: RpcCall | undefined;
    try {
      asked = readCall(parse(text));
      const def = facade.find(name);
      if (def === undefined) throw new RpcError(-32001, noAgent(name));
      const answered = await call(facade, def, asked);
      const { id } = asked;
      const answer = (result: object) => JSON.stringify({ jsonrpc: "2.0", id, result });
      if ("result" in answered) return reply.header("content-type", "application/json").send(answer(answered.result));
      const stream = new EventStream(reply, runtime.stopping);
      stream.begin();
      await streamTask(runtime, stream, { facade, def, id: answered.watched, answer }).catch((error: unknown) => {
        runtime.log.error("A stream of a task broke off", { id: answered.watched, error: String(error) });
        reply.raw.destroy();
      });
      return reply;
    } catch (error) {
      return sendValue(reply, { jsonrpc: "2.0", id: asked?.id ?? null, error: errorOf(error) });
    }
  };
  const rpc = {
    summary: `Speak to a ${kind}`,
    description: "message/send, message/stream, tasks/get, tasks/cancel and tasks/resubscribe of A2A 0.3",
    body,
    answers: { 200: json(freeObject, "The answer of JSON-RPC; of a stream, each event is one") },
  };
  for (const path of [`/a2a/${kind}/:name`, `/a2a/${kind}/:name/rpc`] as const)
    api.withRequest("POST", path, rpc, ({ params, body: text }, reply) => speak(params.name, text, reply));
}

function parse(text: unknown): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(error);
  }
}

const unreadable = (error: unknown): RpcError =>
  new RpcError(-32700, `Parse error: ${reasonOf(error)}`, { cause: error });

/** Mistakes of the caller's are invalid parameters, whatever found them. */
function errorOf(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  const isCallers = error instanceof InvalidAgent || (error instanceof HttpError && error.status < 500);
  return isCallers
    ? { code: -32602, message: error.message }
    : { code: -32603, message: `Internal error: ${reasonOf(error)}` };
}
