/**
 * What is stored in place of a payload that lies elsewhere: where, and how large it is. It begins with a character that
 * no JSON text has, so nothing a caller sends can pass for one.
 */
export type Reference = { readonly path: string; readonly bytes: number };

const MARK = "\u0001";

export const referenceText = ({ path, bytes }: Reference): string => `${MARK}${bytes}:${path}`;

/** Cheap for what is none: the usual case. */
export const isReference = (text: string): boolean => text.charCodeAt(0) === 1;

export function parseReference(text: string): Reference | undefined {
  if (!isReference(text)) return undefined;
  const colon = text.indexOf(":");
  return { bytes: Number(text.slice(1, colon)), path: text.slice(colon + 1) };
}

/** Stands in an answer for a payload that is copied in while the answer is sent. */
export const placeholderOf = ({ path }: Reference): string => `${MARK}${encodeURIComponent(path)}${MARK}`;

/** The pieces of an answer: text, path, text, path … text. One piece: there is nothing to copy in. */
export const splitAtPlaceholders = (text: string): string[] => (text.includes(MARK) ? text.split(MARK) : [text]);
