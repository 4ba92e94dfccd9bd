import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model says in a turn: pieces of text, tools it wants called. A promise among the pieces holds the rest back. */
export type Turn = {
  readonly says?: readonly (string | Promise<void>)[];
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
};

export type Asked = { readonly model: string; readonly instructions: string; readonly input: readonly unknown[] };

export type Model = {
  /** Settings of a server that asks this model when it is told to ask OpenAI's. */
  readonly settings: Readonly<Record<string, string>>;
  /** Says how every later request is answered. */
  readonly answer: (how: (asked: Asked) => Turn) => void;
  readonly stop: () => Promise<void>;
};

/** A model that says what a test wants, behind OpenAI's own protocol (`POST /v1/responses`, whole or as events). */
export async function startModel(): Promise<Model> {
  let answer: (asked: Asked) => Turn = () => ({ says: ["Nothing to say."] });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked & { readonly stream?: boolean };
    const turn = answer(body);
    if (body.stream === true) await sendEvents(response, turn);
    else await sendWhole(response, turn);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      "service.integrations.ai.enabled": "true",
      "service.ai.openai.api-key": "key",
      "service.ai.openai.base-url": `http://127.0.0.1:${port}/v1`,
    },
    answer: (how) => {
      answer = how;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

let last = 0;

const usage = {
  input_tokens: 11,
  output_tokens: 7,
  total_tokens: 18,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

async function sendWhole(response: ServerResponse, { says = [], calls = [] }: Turn): Promise<void> {
  const text = (await Promise.all(says)).filter((piece) => typeof piece === "string").join("");
  const output = [...(text === "" ? [] : [message(text)]), ...calls.map(functionCall)];
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...about(), output, usage }));
}

async function sendEvents(response: ServerResponse, { says = [], calls = [] }: Turn): Promise<void> {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send("response.created", { response: about() });
  let index = 0;
  if (says.length > 0) {
    send("response.output_item.added", { output_index: index, item: message("") });
    let text = "";
    for (const piece of says) {
      if (typeof piece !== "string") {
        await piece;
        continue;
      }
      text += piece;
      send("response.output_text.delta", { item_id: "msg_1", output_index: index, content_index: 0, delta: piece });
    }
    send("response.output_item.done", { output_index: index++, item: message(text) });
  }
  for (const call of calls.map(functionCall)) {
    send("response.output_item.added", { output_index: index, item: { ...call, arguments: "" } });
    send("response.function_call_arguments.delta", { item_id: call.id, output_index: index, delta: call.arguments });
    send("response.output_item.done", { output_index: index++, item: call });
  }
  send("response.completed", { response: { ...about(), incomplete_details: null, usage } });
  response.end();
}

const about = () => ({
  id: `resp_${++last}`,
  object: "response",
  created_at: 1_760_000_000,
  model: "gpt-4o-mini",
  status: "completed",
});

const message = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
});

function functionCall({ name, args }: { readonly name: string; readonly args: object }) {
  const id = `call_${++last}`;
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: "completed",
  };
}
