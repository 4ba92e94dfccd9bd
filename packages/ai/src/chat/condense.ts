import type { ChatInput } from "./chat-input.ts";
import type { Message, ToolCall } from "./messages.ts";

const RECENT_EXCHANGES = 5;
const TEXT_LENGTH = 200;
const OUTPUT_LENGTH = 150;
const CHARACTERS_PER_TOKEN = 3.5;

/** What was done to a conversation that grew too long; shown on the task. */
export type Condensation = {
  readonly trigger: string;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly exchangesCondensed: number;
};

type Condensed = { readonly messages: readonly Message[]; readonly condensation: Condensation | undefined };

/** Keeps how the conversation began and its last exchanges, and makes one summary of what lies between. */
export function condense(messages: readonly Message[], trigger: string): Condensed {
  const head = lengthOfBeginning(messages);
  const exchanges = splitExchanges(messages.slice(head));
  const old = exchanges.slice(0, -RECENT_EXCHANGES);
  if (old.length === 0) return { messages, condensation: undefined };
  const kept = [...messages.slice(0, head), summaryOf(old), ...exchanges.slice(-RECENT_EXCHANGES).flat()];
  return {
    messages: kept,
    condensation: {
      trigger,
      messagesBefore: messages.length,
      messagesAfter: kept.length,
      exchangesCondensed: old.length,
    },
  };
}

/** Rough, and on the safe side for English. */
export function estimateTokens(messages: readonly Message[], { tools, instructions = "" }: ChatInput): number {
  const characters =
    instructions.length +
    (tools.length === 0 ? 0 : JSON.stringify(tools).length) +
    messages.reduce((sum, message) => sum + lengthOf(message), 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

const lengthsOfCalls = new WeakMap<readonly ToolCall[], number>();

function lengthOf({ message = "", toolCalls }: Message): number {
  if (toolCalls === undefined) return message.length;
  const known = lengthsOfCalls.get(toolCalls) ?? JSON.stringify(toolCalls).length;
  lengthsOfCalls.set(toolCalls, known);
  return message.length + known;
}

/** The system's words and the first question. */
function lengthOfBeginning(messages: readonly Message[]): number {
  let length = 0;
  while (messages[length]?.role === "system") length += 1;
  return messages[length]?.role === "user" ? length + 1 : length;
}

/** A call and its answers belong together: half of it would confuse a model, and some refuse it. */
function splitExchanges(messages: readonly Message[]): Message[][] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    const last = exchanges.at(-1);
    if (message.role === "tool" && last?.[0]?.role === "tool_call") last.push(message);
    else exchanges.push([message]);
  }
  return exchanges;
}

function summaryOf(exchanges: readonly (readonly Message[])[]): Message {
  const lines = exchanges.map((exchange) => `- ${exchange.map(lineOf).join(" ")}`);
  const count = `(${exchanges.length} earlier ${exchanges.length === 1 ? "exchange" : "exchanges"} condensed)`;
  return { role: "assistant", message: ["[Earlier conversation condensed]", ...lines, count].join("\n") };
}

function lineOf({ role, message = "", toolCalls = [] }: Message): string {
  switch (role) {
    case "tool_call":
      return `called ${toolCalls.map(({ name }) => name).join(", ")};`;
    case "tool":
      return toolCalls.map(outputLine).join(" ");
    default:
      return `${role}: ${cut(message, TEXT_LENGTH)}`;
  }
}

const outputLine = ({ name, output }: ToolCall): string =>
  `${name} returned ${cut(typeof output === "string" ? output : JSON.stringify(output ?? null), OUTPUT_LENGTH)};`;

const cut = (text: string, length: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
};
