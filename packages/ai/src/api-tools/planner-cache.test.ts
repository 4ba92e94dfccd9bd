import { expect, test } from "vitest";
import { PlannerCache } from "./planner-cache.ts";

const MEGABYTE = 1024 * 1024;

test("what is kept is bounded in all, and what was used last stays", async () => {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    return new Response("x".repeat(8 * MEGABYTE));
  };
  const cache = new PlannerCache(fetch, () => 0);
  const load = (url: string) =>
    cache.load({ url, headers: {}, ttlMs: 1000, signal: new AbortController().signal }).then(({ isHit }) => isHit);
  for (const url of ["1", "2", "3", "4"]) expect(await load(url)).toBe(false);
  expect(await load("1")).toBe(true);
  expect(await load("5")).toBe(false);
  expect(await load("1")).toBe(true);
  expect(await load("2")).toBe(false);
  expect(asked).toEqual(["1", "2", "3", "4", "5", "2"]);
});
