import type { Head, Task } from "@downbeat/engine";
import { referenceTaskName, taskId } from "@downbeat/engine/names";

/** Of longer inputs and outputs only the beginning is searched: bounded work for every execution and task. */
export const TEXT_LIMIT = 4000;

/** The beginnings of the payloads that may be searched; undefined when the definition hides fields of them. */
export type SearchedPayloads = { readonly input: string; readonly output: string } | undefined;

/** Everything an execution is found by when free text is asked for, folded. */
export function executionText(head: Head, payloads: SearchedPayloads): string {
  const fields = [
    head.id,
    head.workflowName,
    head.correlationId,
    head.status,
    head.reasonForIncompletion,
    head.event,
    head.createdBy,
    head.idempotencyKey,
    head.failedReferenceTaskNames.join(","),
  ];
  return joined(fields, payloads);
}

/** The same for a task. */
export function taskText(head: Head, task: Task, payloads: SearchedPayloads): string {
  const fields = [
    taskId(head.id, task.no),
    head.id,
    head.workflowName,
    head.correlationId,
    task.taskType,
    task.taskDefName,
    referenceTaskName(task),
    task.status,
    task.reasonForIncompletion,
    task.domain,
    task.workerId,
  ];
  return joined(fields, payloads);
}

/** A text that is looked for, folded, in pieces that come one after the other where it had `*`. */
export type Word = readonly string[];

/** White space around a piece says nothing: it may be what follows a comma in one form and not in the other. */
export const wordOf = (text: string): Word =>
  text
    .split("*")
    .map((piece) => fold(piece).trim())
    .filter((piece) => piece !== "");

/** Of all words: it says most about a text that has them. */
export const longestPiece = (words: readonly Word[]): string =>
  words.flat().reduce((one, other) => (other.length > one.length ? other : one), "");

/** Whether all words are in a folded text. */
export const occurIn = (text: string, words: readonly Word[]): boolean => words.every((word) => occurs(text, word));

function occurs(text: string, word: Word): boolean {
  let from = 0;
  for (const piece of word) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

function joined(fields: readonly (string | undefined)[], payloads: SearchedPayloads): string {
  let text = "";
  for (const field of fields) if (field !== undefined && field !== "") text += `${field}\n`;
  if (payloads !== undefined) text += `${plain(payloads.input)}\n${plain(payloads.output)}`;
  return fold(text);
}

/**
 * Summaries show payloads as `{a=1, b=[x, y]}`, others show them as JSON. Without case, quotes and the space after a
 * comma, and with "=" for ":", both read the same.
 */
export const fold = (text: string): string =>
  text.toLowerCase().replaceAll('"', "").replaceAll(":", "=").replaceAll(", ", ",");

/** JSON text with its escapes as the characters they stand for. */
function plain(json: string): string {
  const text = json.length > TEXT_LIMIT ? json.slice(0, TEXT_LIMIT) : json;
  return text.includes("\\") ? text.replace(/\\(u[0-9a-f]{4}|.)/gi, character) : text;
}

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

function character(_escape: string, code: string): string {
  return code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (controls[code] ?? code);
}
