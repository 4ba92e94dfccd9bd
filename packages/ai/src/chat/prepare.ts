import type { JsonObject } from "@downbeat/engine";
import { TerminalError } from "../errors.ts";
import type { ChatInput } from "./chat-input.ts";
import { type Condensation, condense, estimateTokens } from "./condense.ts";
import { findContextWindow } from "./context-windows.ts";
import { CONTINUE, type History } from "./history.ts";
import type { Message } from "./messages.ts";
import { fillVariables } from "./variables.ts";

const JSON_HINT = "Formatting instruction: return the response as json.";
const NO_CONTENT = "Content must not be null for SYSTEM or USER messages";
const NO_PROMPT =
  "No non-empty user prompt or media was available for the LLM call. The execution started with an empty prompt or an upstream step produced empty output.";

export type Conversation = {
  readonly messages: readonly Message[];
  readonly condensation: Condensation | undefined;
};

/** Refuses messages that say nothing at all. */
export function checkMessages(input: ChatInput): void {
  for (const { role, message, media, toolCalls } of withUserInput(input)) {
    const isSpoken = role === "system" || role === "user";
    if (isSpoken && message === undefined && media === undefined && toolCalls === undefined)
      throw new Error(NO_CONTENT);
  }
}

/** The conversation a model is shown, out of what the task says and what was said before. */
export function prepareConversation(input: ChatInput, history: History, variables: JsonObject): Conversation {
  const condensed = condenseIfLong([...withUserInput(input), ...history.messages], input, history);
  const messages = condensed.messages.map((message) => withVariables(message, variables)).filter(saysSomething);
  if (
    !messages.some(
      ({ role, message = "", media = [] }) => role === "user" && (message.trim() !== "" || media.length > 0),
    )
  ) {
    throw new TerminalError(NO_PROMPT, { isBare: true });
  }
  return { messages: withJsonHint(withContinuation(messages), input), condensation: condensed.condensation };
}

function withUserInput({ messages, userInput }: ChatInput): readonly Message[] {
  return messages.length === 0 && userInput !== undefined ? [{ role: "user", message: userInput }] : messages;
}

function condenseIfLong(messages: readonly Message[], input: ChatInput, { hitLimit }: History): Conversation {
  if (hitLimit) return condense(messages, "token limit hit");
  const window = input.contextWindow ?? findContextWindow(input.model);
  if (window === undefined || estimateTokens(messages, input) <= window - input.maxTokens) {
    return { messages, condensation: undefined };
  }
  return condense(messages, "proactive (exceeds context window)");
}

function withVariables(message: Message, variables: JsonObject): Message {
  // Messages of earlier turns stay the objects they are: much is known of them by that.
  if (message.message === undefined || !message.message.includes("${")) return message;
  const filled = fillVariables(message.message, variables);
  return filled === message.message ? message : { ...message, message: filled };
}

const saysSomething = ({ message = "", media = [], toolCalls = [] }: Message): boolean =>
  message.trim() !== "" || media.length > 0 || toolCalls.length > 0;

/** A model speaks when spoken to. */
function withContinuation(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last === undefined || last.role === "user" || last.role === "tool") return messages;
  return [...messages, { role: "user", message: CONTINUE }];
}

/** Some models refuse to answer in JSON unless the word is in the prompt. */
function withJsonHint(messages: readonly Message[], { jsonOutput }: ChatInput): readonly Message[] {
  if (jsonOutput !== true) return messages;
  const isSaid = messages.some(({ role, message = "" }) => role === "user" && /json/i.test(message));
  return isSaid ? messages : [...messages, { role: "user", message: JSON_HINT }];
}
