import type { Clause, RunField, Search } from "@downbeat/store";
import type { SearchFields } from "../search/fields.ts";
import { isField } from "../search/fields.ts";
import { parseQuery } from "../search/query.ts";

const runFields: SearchFields<RunField> = {
  executionId: "text",
  scheduleName: "text",
  scheduledTime: "time",
  executionTime: "time",
  workflowName: "text",
  workflowId: "text",
  state: "text",
  reason: "text",
  zoneId: "text",
};

/** Comparisons joined by AND; words without an operator name a schedule. Throws QueryError. */
export function parseRunQuery(query: string): readonly Clause<RunField>[] {
  const text = query.trim();
  if (text === "") return [];
  if (!/[=<>]|\sin[\s(]/i.test(text)) return [{ field: "scheduleName", op: "IN", values: [text] }];
  return parseQuery(text, runFields).map(asPartOfName);
}

/** Free text is found in the names of schedule and workflow and in the execution's id. */
export const parseRunText = (freeText: string): readonly string[] =>
  /^[*\s]*$/.test(freeText) ? [] : [freeText.trim()];

/** Clients of the reference sort by fields that runs do not have, or give an order alone: then it is by slot. */
export function parseRunSort(entries: readonly string[]): Search<RunField>["sort"] {
  const sort = entries
    .flatMap((entry) => entry.split(/[|,]/))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [name = "", order = name] = entry.split(":").map((part) => part.trim());
      const field: RunField = isField(name, runFields) ? name : "scheduledTime";
      return { field, order: order.toUpperCase() === "ASC" ? "ASC" : "DESC" } as const;
    });
  return sort.length === 0 ? [{ field: "scheduledTime", order: "DESC" }] : sort;
}

/** A part of the workflow's name is enough. */
function asPartOfName(clause: Clause<RunField>): Clause<RunField> {
  if (clause.field !== "workflowName" || clause.op !== "=") return clause;
  return { ...clause, values: clause.values.map((value) => `*${value}*`) };
}
