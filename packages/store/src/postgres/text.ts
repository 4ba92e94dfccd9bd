import { createHash } from "node:crypto";

/**
 * PostgreSQL's text cannot hold U+0000. JSON text never has it raw; names, keys and log lines that callers choose may. It
 * is written as two characters, and so is the one that stands for it, so every text comes back and sorts as it would.
 */
export const safeText = (text: string): string => (needsCare(text) ? text.replace(/[\0\u0001]/g, stored) : text);

/** The text that `safeText` made this of. */
export const plainText = (text: string): string =>
  text.includes("\u0001") ? text.replace(/\u0001[\u0001\u0002]/g, original) : text;

/**
 * A text that is only ever looked up by: an index takes no more than 2.7 KB, and keys that callers choose may be longer.
 * Long ones are told apart by their digest.
 */
export const keyText = (text: string): string =>
  text.length <= LONGEST_KEY
    ? safeText(text)
    : `${safeText(text.slice(0, LONGEST_KEY / 2))}\u0001\u0003${createHash("sha256").update(text).digest("hex")}`;

/** Four bytes a character at most, and two such texts in one index row. */
const LONGEST_KEY = 300;

const needsCare = (text: string): boolean => text.includes("\0") || text.includes("\u0001");
const stored = (character: string): string => (character === "\0" ? "\u0001\u0001" : "\u0001\u0002");
const original = (pair: string): string => (pair === "\u0001\u0001" ? "\0" : "\u0001");
