import { describe, expect, test } from "vitest";
import { jq, jqError } from "../../../test/jq.ts";
import { JqAbort } from "../../index.ts";

describe("functions", () => {
  test("a body sees the names of the place it was written in, not of the call", () => {
    expect(jq("1 as $x | def f: $x; 2 as $x | f")).toEqual([1]);
    expect(jq("def f: 1; def g: f; def f: 2; [f, g]")).toEqual([[2, 1]]);
  });

  test("functions of the same name and different arity are different", () => {
    expect(jq("def f: 1; def f(x): x + 1; [f, f(5)]")).toEqual([[1, 6]]);
  });

  test("a filter parameter runs in the caller's scope, once for each use", () => {
    expect(jq("def f(g): 10 as $x | [g, g]; 1 as $x | f($x, .)", 7)).toEqual([[1, 7, 1, 7]]);
  });

  test("a value parameter is bound once for each output of its argument", () => {
    expect(jq("def f($a; $b): [$a, $b]; f(1, 2; 3, 4)")).toEqual([
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ]);
  });

  test("a value parameter can also be called as a filter", () => {
    expect(jq("def f($a): [$a, a]; f(1, 2)")).toEqual([
      [1, 1, 2],
      [2, 1, 2],
    ]);
  });

  test("closures passed on keep the environment they were made in", () => {
    expect(jq("def twice(f): f | f; def apply(f): twice(f); 3 as $n | apply(. + $n)", 1)).toEqual([7]);
  });

  test("variables of a filter that runs inside itself do not mix", () => {
    expect(jq("def f(g): g | g; [f((10, 20) as $x | ($x, $x + 1))]")).toEqual([
      [10, 11, 20, 21, 10, 11, 20, 21, 10, 11, 20, 21, 10, 11, 20, 21],
    ]);
  });

  test("recursion works for one output and for many", () => {
    expect(jq("def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; 15 | fib")).toEqual([610]);
    expect(jq("def down: if . < 0 then empty else ., (. - 1 | down) end; [3 | down]")).toEqual([[3, 2, 1, 0]]);
    expect(
      jq("def even: if . == 0 then true else . - 1 | (if . == 0 then false else . - 1 | even end) end; 100 | even"),
    ).toEqual([true]);
  });
});

describe("last calls", () => {
  test.each([
    ["def f: if . > 100000 then . else . + 1 | f end; 0 | f", 100_001],
    ["def f: if . > 100000 then . else . + 1 | f end; last(0 | f, empty)", 100_001],
    ["def f($n): if . >= $n then . else . + 1 | f($n) end; 0 | f(100000)", 100_000],
    ["def f(g): if . >= 100000 then . else g | f(g) end; 0 | f(. + 1)", 100_000],
    ["def f(c; g): if c then . else g | f(c; g) end; 0 | f(. >= 100000; . + 1)", 100_000],
    ["def f: if . >= 100000 then . else (. + 1) as $x | $x | f end; 0 | f", 100_000],
    ["def f: (select(. >= 100000) // empty) // (. + 1 | f); 0 | f", 100_000],
    ["def f: ., (if . < 100000 then . + 1 | f else empty end); last(0 | f)", 100_000],
    ["last(range(1e6))", 999_999],
    ["reduce range(1e6) as $i (0; . + $i)", 499_999_500_000],
    ["0 | until(. >= 1e6; . + 1)", 1_000_000],
    ["last(0 | recurse(if . < 1e5 then . + 1 else empty end))", 100_000],
    ["last(0 | while(. < 1e5; . + 1))", 99_999],
    ["last(limit(100000; repeat(1)))", 1],
  ])("%s needs no stack", (program, expected) => {
    expect(jq(program)).toEqual([expected]);
  });

  test("calls that are not last are limited, and the limit is not caught", () => {
    expect(jq("def f: if . == 0 then 0 else 1 + (. - 1 | f) end; 500 | f")).toEqual([500]);
    expect(jqError("def f: 1 + f; try f catch 0")).toBeInstanceOf(JqAbort);
    expect(jqError("def f: if . == 0 then 0 else 1 + (. - 1 | f) end; 50 | f", null, { maxDepth: 40 }).message).toBe(
      "Recursion deeper than 40 calls",
    );
  });

  test("a caught failure gives its depth back", () => {
    const program =
      'def deep: if . == 0 then error("x") else 1 + (. - 1 | deep) end; [range(50) | try (30 | deep) catch .]';
    expect(jq(program, null, { maxDepth: 40 })[0]).toHaveLength(50);
  });
});
