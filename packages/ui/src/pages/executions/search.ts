import type { ExecutionsQuery } from "../../api/executions.ts";
import { defined, flag, number, oneOf, type RawSearch, text } from "../../lib/search-params.ts";

export const ranges = { "15m": 15 * 60, "1h": 3600, "24h": 86_400, "7d": 7 * 86_400, "30d": 30 * 86_400 } as const;
export type Range = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as Range[];

/** What the list's URL says. All of it narrows, together. */
export type ExecutionsSearch = {
  /** Separated by commas. */
  readonly status?: string;
  readonly type?: string;
  readonly range?: Range;
  /** In the server's query language. */
  readonly query?: string;
  /** Free text. */
  readonly text?: string;
  readonly topLevel?: true;
  readonly sort?: string;
  readonly start?: number;
  readonly size?: number;
  /** Separated by commas. */
  readonly columns?: string;
};

export const DEFAULT_SORT = "startTime:DESC";
export const DEFAULT_SIZE = 100;

export const readExecutionsSearch = (raw: RawSearch): ExecutionsSearch =>
  defined({
    status: text(raw, "status"),
    type: text(raw, "type"),
    range: oneOf(raw, "range", rangeNames),
    query: text(raw, "query"),
    text: text(raw, "text"),
    topLevel: flag(raw, "topLevel"),
    sort: text(raw, "sort"),
    start: number(raw, "start"),
    size: number(raw, "size"),
    columns: text(raw, "columns"),
  }) as ExecutionsSearch;

/** The filters as one query for the server; times count back from `now`. */
export function toQueryText({ status, type, range, query }: ExecutionsSearch, now?: number): string {
  const parts: string[] = [];
  if (query !== undefined) parts.push(query);
  if (status !== undefined) parts.push(`status IN (${status.split(",").join(", ")})`);
  if (type !== undefined) parts.push(`workflowType = ${quote(type)}`);
  if (range !== undefined && now !== undefined) parts.push(`startTime >= ${now - ranges[range] * 1000}`);
  return parts.join(" AND ");
}

export const toExecutionsQuery = (search: ExecutionsSearch, now: number): ExecutionsQuery => ({
  query: toQueryText(search, now),
  freeText: search.text ?? "",
  sort: search.sort ?? DEFAULT_SORT,
  start: search.start ?? 0,
  size: search.size ?? DEFAULT_SIZE,
  topLevelOnly: search.topLevel ?? false,
});

const quote = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
