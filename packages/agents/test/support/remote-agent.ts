import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentCard, Message, Task, TaskState } from "@a2a-js/sdk";
import {
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
} from "@a2a-js/sdk/server";

type Rpc = { readonly id: number; readonly method: string; readonly params: { readonly message?: Message } };

export type RemoteAgentServer = Awaited<ReturnType<typeof startRemoteAgent>>;

const textIn = ({ parts }: Message): string =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");

/**
 * A remote agent made with the official SDK. What it is told says what it does: `say X` answers, `chat X` answers with a
 * message, `ask` waits for an answer, `fail X` fails, `work` goes on until `release`, and anything else
 * is done at once.
 */
export async function startRemoteAgent() {
  const calls: Rpc[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const released = new Map<string, () => void>();
  let intercept: ((rpc: Rpc, response: ServerResponse) => boolean) | undefined;

  const taskOf = ({ taskId, contextId, userMessage }: RequestContext, state: TaskState, text = ""): Task => ({
    kind: "task",
    id: taskId,
    contextId,
    history: [userMessage],
    status: {
      state,
      ...(text === "" || state === "completed"
        ? {}
        : { message: { kind: "message", role: "agent", messageId: "m", parts: [{ kind: "text", text }] } }),
    },
    ...(state === "completed" ? { artifacts: [{ artifactId: "a", parts: [{ kind: "text", text }] }] } : {}),
  });
  const executor: AgentExecutor = {
    async execute(context, bus) {
      const [, verb, words = ""] = /^(\w+) ?(.*)$/.exec(textIn(context.userMessage)) ?? [];
      const end = (state: TaskState, text = words): void => {
        bus.publish(taskOf(context, state, text));
        bus.finished();
      };
      if (context.task !== undefined) return end("completed", `you said ${textIn(context.userMessage)}`);
      if (verb === "say") return end("completed");
      if (verb === "ask") return end("input-required", "which one?");
      if (verb === "fail") return end("failed");
      if (verb === "chat") {
        bus.publish({ kind: "message", role: "agent", messageId: "m", parts: [{ kind: "text", text: words }] });
        return bus.finished();
      }
      if (verb !== "work") return end("completed", "done");
      bus.publish(taskOf(context, "working"));
      await new Promise<void>((resolve) => released.set(context.taskId, resolve));
      return end("completed", "worked");
    },
    async cancelTask(taskId: string, bus: ExecutionEventBus) {
      const status = { state: "canceled" as const };
      bus.publish({ kind: "status-update", taskId, contextId: "c", status, final: true });
      bus.finished();
    },
  };
  let handler: JsonRpcTransportHandler;
  const card: AgentCard = {
    name: "remote",
    description: "A remote agent",
    url: "",
    version: "1",
    protocolVersion: "0.3.0",
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };

  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    if (request.method === "GET") {
      const isCard = request.url === "/.well-known/agent-card.json" || request.url === "/my-card.json";
      response.writeHead(isCard ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(card));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rpc = JSON.parse(Buffer.concat(chunks).toString()) as Rpc;
    calls.push(rpc);
    if (intercept?.(rpc, response) === true) return;
    const answer = await handler.handle(rpc);
    if (!(Symbol.asyncIterator in answer)) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  card.url = url;
  const pushes = new InMemoryPushNotificationStore();
  const sender = new DefaultPushNotificationSender(pushes);
  handler = new JsonRpcTransportHandler(
    new DefaultRequestHandler(card, new InMemoryTaskStore(), executor, undefined, pushes, sender),
  );
  return {
    url,
    calls,
    headers,
    /** How often a method was called. */
    count: (method: string): number => calls.filter((call) => call.method === method).length,
    /** Lets all that work come to their end. */
    release(): void {
      for (const end of released.values()) end();
    },
    /** Answers calls itself where it returns true. */
    intercept(how: typeof intercept): void {
      intercept = how;
    },
    async close() {
      this.release();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
