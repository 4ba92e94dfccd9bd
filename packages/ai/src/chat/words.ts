import type { Message } from "./messages.ts";

const known = new WeakMap<Message, string>();

/** A message as JSON text. Messages of earlier turns are asked for theirs in every turn, so it is made once. */
export function wordsOf(message: Message): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const words = JSON.stringify(message);
  known.set(message, words);
  return words;
}

/** Messages as a JSON list. */
export const listOf = (messages: readonly Message[]): string => `[${messages.map(wordsOf).join(",")}]`;
