import { workflowStatuses } from "../../lib/status.ts";

/** Fields of the server's query language for executions, and what their values are like. */
const queryFields: Readonly<Record<string, "text" | "number" | "time">> = {
  workflowId: "text",
  correlationId: "text",
  workflowType: "text",
  version: "number",
  status: "text",
  startTime: "time",
  endTime: "time",
  updateTime: "time",
  parentWorkflowId: "text",
  classifier: "text",
  priority: "number",
  createdBy: "text",
  event: "text",
  reasonForIncompletion: "text",
  idempotencyKey: "text",
  failedReferenceTaskNames: "text",
  executionTime: "number",
};

export type Suggestion = {
  readonly label: string;
  /** Replaces the text from `from` to the caret. */
  readonly insert: string;
  readonly hint: string;
};

export type Completion = { readonly from: number; readonly suggestions: readonly Suggestion[] };

const operators = ["=", "!=", ">=", "<=", ">", "<", "IN"];
const comparison = /([A-Za-z]+)\s*(=|!=|>=|<=|>|<|IN\b\s*\(?)\s*([^=<>!]*)$/i;

/** What could come next at the caret of a query. `types` are the known definitions' names. */
export function complete(query: string, caret: number, types: readonly string[]): Completion {
  const before = query.slice(0, caret);
  const clause = before.slice(lastClauseStart(before));
  const compared = comparison.exec(clause);
  if (compared !== null) return completeValue(compared, caret, types);
  const field = /^\s*([A-Za-z]+)\s+([!<>=I]?N?)$/i.exec(clause);
  if (field !== null && Object.hasOwn(queryFields, field[1] ?? "")) {
    const typed = field[2] ?? "";
    return {
      from: caret - typed.length,
      suggestions: operators
        .filter(startsWith(typed))
        .map((one) => ({ label: one, insert: `${one} `, hint: "compare" })),
    };
  }
  const typed = /[A-Za-z]*$/.exec(clause)?.[0] ?? "";
  return {
    from: caret - typed.length,
    suggestions: Object.entries(queryFields)
      .filter(([name]) => startsWith(typed)(name))
      .map(([name, kind]) => ({ label: name, insert: `${name} `, hint: kind })),
  };
}

function completeValue(compared: RegExpExecArray, caret: number, types: readonly string[]): Completion {
  const [, field = "", operator = "", rest = ""] = compared;
  const isList = /^IN/i.test(operator);
  const typed = (isList ? (rest.split(",").at(-1) ?? "") : rest).replace(/^\s*\(?\s*['"]?/, "");
  if (/['"]?\s+$/.test(rest) && rest.trim() !== "" && !isList) {
    return { from: caret, suggestions: [{ label: "AND", insert: "AND ", hint: "narrow further" }] };
  }
  const from = caret - typed.length - (/['"]$/.test(rest.slice(0, rest.length - typed.length)) ? 1 : 0);
  const values = field === "status" ? workflowStatuses : field === "workflowType" ? types : [];
  const known = values
    .filter(startsWith(typed))
    .map((value) => ({ label: value, insert: /^\w+$/.test(value) ? value : `'${value}'`, hint: field }));
  return { from, suggestions: known };
}

const startsWith =
  (typed: string) =>
  (name: string): boolean =>
    name.toLowerCase().startsWith(typed.toLowerCase());

/** Behind the last AND outside quotes. */
function lastClauseStart(text: string): number {
  let start = 0;
  for (const match of text.matchAll(/'(?:\\.|[^'])*'?|"(?:\\.|[^"])*"?|\bAND\s/gi)) {
    if (/^AND\s$/i.test(match[0])) start = match.index + match[0].length;
  }
  return start;
}

/** Where the server found a query wrong, counting from 0; undefined when its message does not say. */
export function errorPosition(message: string): number | undefined {
  const found = /at character (\d+)/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found) - 1;
}
