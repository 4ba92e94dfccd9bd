import { expect, test } from "vitest";
import { workflowFields } from "./fields.ts";
import { QueryError } from "./query-error.ts";
import { parseSort } from "./sort.ts";

const read = (...values: string[]): string[] =>
  parseSort(values, workflowFields).map(({ field, order }) => `${field} ${order}`);

test("entries come separated by bars, by commas, or one by one", () => {
  expect(read()).toEqual([]);
  expect(read("", " ")).toEqual([]);
  expect(read("startTime")).toEqual(["startTime ASC"]);
  expect(read("startTime:DESC")).toEqual(["startTime DESC"]);
  expect(read("startTime:desc|status: Asc")).toEqual(["startTime DESC", "status ASC"]);
  expect(read("startTime:DESC,version")).toEqual(["startTime DESC", "version ASC"]);
  expect(read("startTime:DESC", "version|")).toEqual(["startTime DESC", "version ASC"]);
});

test("an unknown field and an unknown order are refused with their place", () => {
  expect(() => read("startTime|zzz:ASC")).toThrow(QueryError);
  expect(() => read("startTime|zzz:ASC")).toThrow(
    /^Cannot read the sort order at character 11: unknown field zzz, known fields are workflowId, /,
  );
  expect(() => read("startTime:UP")).toThrow(
    "Cannot read the sort order at character 1: expected ASC or DESC after startTime, got UP",
  );
});
