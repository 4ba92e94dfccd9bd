import { describe, expect, test } from "vitest";
import { jq, jqError } from "../../../test/jq.ts";

describe("try", () => {
  test.each([
    ['try error("x") catch .', null, ["x"]],
    ["try error catch .", { a: 1 }, [{ a: 1 }]],
    ["[.[] | .a?]", [{}, 1, { a: 2 }], [[null, 2]]],
    ["[.[] | .[]?]", [1, [2], { a: 3 }], [[2, 3]]],
    ['[(1, error("x"), 2)?]', null, [[1]]],
    ["try (1, 2, error(3)) catch (. * 10)", null, [1, 2, 30]],
    ["[.[] | tonumber?]", ["1", "x"], [[1]]],
  ])("%s", (program, input, expected) => {
    expect(jq(program, input)).toEqual(expected);
  });

  test("it does not catch what goes wrong after it", () => {
    expect(jqError('(try 1 catch "caught") | error("later")').message).toBe("later");
    expect(jqError('.[]? | error("later")', [1]).message).toBe("later");
    expect(jq('try ((try 1 catch "inner") | error("x")) catch "outer"')).toEqual(["outer"]);
  });
});

describe("the alternative operator", () => {
  test.each([
    ["empty // 1", [1]],
    ["(null, false) // (1, 2)", [1, 2]],
    ["(null, 3, false, 4) // 1", [3, 4]],
    ["[(null, 3, 4) // 1]", [[3, 4]]],
    ['first((null, 3) // error("x"))', [3]],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual(expected);
  });

  test("a failure on its left is a failure", () => {
    expect(jqError('error("x") // 1').message).toBe("x");
  });
});

describe("label and break", () => {
  test.each([
    ["[label $out | 1, break $out, 2]", [[1]]],
    ["[label $a | label $b | 1, break $a, 2], 3", [[1], 3]],
    ["[label $a | (label $b | 1, break $b, 2), 3]", [[1, 3]]],
    ["[label $f | def g: break $f; 1, g, 2]", [[1]]],
    ["[range(3) | label $x | (., 9) | if . == 9 then break $x else . end]", [[0, 1, 2]]],
    ["label $x | try break $x catch 1", []],
    ["[label $x | [1, 2, break $x]]", [[]]],
    ["[label $x | reduce (1, 2) as $i (0; if $i == 2 then break $x else . end)]", [[]]],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual(expected);
  });
});

describe("conditions", () => {
  test.each([
    ["[if (true, false, null) then 1 else 2 end]", [[1, 2, 2]]],
    ["if empty then 1 else 2 end", []],
    ["if false then 1 elif true then 2 else 3 end", [2]],
    ["5 | if false then 1 end", [5]],
    ["[(true, false) and (true, false)]", [[true, false, false]]],
    ["[(true, false) or (true, false)]", [[true, true, false]]],
    ["false and error", [false]],
    ["true or error", [true]],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual(expected);
  });
});

describe("binding and loops", () => {
  test.each([
    [
      "[(1, 2) as $x | (3, 4) as $y | [$x, $y]]",
      [
        [
          [1, 3],
          [1, 4],
          [2, 3],
          [2, 4],
        ],
      ],
    ],
    ["[1, [2]] as [$a, [$b]] | [$a, $b]", [[1, 2]]],
    ['{"a": 1, "b": 2} as {("a", "b"): $x} | $x', [1, 2]],
    ["[[1, 2]] | .[] as [$a] ?// $a | [$a]", [[1]]],
    ['{"a": 1} as [$a] ?// {$a} | $a', [1]],
    ['[[3]] | .[] as [$a] ?// [$b] | if $a != null then error("x") else {$a, $b} end', [{ a: null, b: 3 }]],
    ["reduce empty as $x (0; 1)", [0]],
    ["reduce (1, 2) as $x (0; empty)", [null]],
    ["reduce (1, 2) as $x (0; ., 10)", [10]],
    ["[reduce (1, 2) as $x (0, 10; . + $x)]", [[3, 13]]],
    ["[foreach (1, 2, 3) as $x (0; . + $x)]", [[1, 3, 6]]],
    [
      "[foreach (1, 2) as $x (0; . + $x; [$x, .])]",
      [
        [
          [1, 1],
          [2, 3],
        ],
      ],
    ],
    ["[foreach (1, 2) as $x (0; (. + $x, . * 10))]", [[1, 0, 2, 0]]],
    ["[limit(3; foreach range(1e9) as $x (0; $x))]", [[0, 1, 2]]],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual(expected);
  });
});

describe("outputs come in jq's order", () => {
  test.each([
    ["[(1, 2) + (10, 20)]", [[11, 12, 21, 22]]],
    ['[{a: (1, 2), b: (3, 4)} | "\\(.a)\\(.b)"]', [["13", "14", "23", "24"]]],
    ['["\\(1, 2) \\(3, 4)"]', [["1 3", "2 3", "1 4", "2 4"]]],
    ["[([1, 2], [3, 4])[0, 1]]", [[1, 3, 2, 4]]],
    ["[[1, 2, 3, 4, 5][0, 1:2, 3]]", [[[1, 2], [1, 2, 3], [2], [2, 3]]]],
    ["[pow(2, 3; 1, 2)]", [[2, 3, 4, 9]]],
    ["[range(0, 1; 3, 4)]", [[0, 1, 2, 0, 1, 2, 3, 1, 2, 1, 2, 3]]],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual(expected);
  });
});
