import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jq } from "../../test/jq.ts";

/** Bodies of `reduce` that run on the state where it is. Each must give what the copying way gives. */
const bodies = [
  ". + [$x]",
  '. + {("k\\($x % 3)"): $x}',
  '.["k\\($x % 3)"] += 1',
  '.["k\\($x % 3)"] += [$x]',
  '.["k\\($x % 3)"].n = $x',
  '.["k\\($x % 3)"].list += [$x]',
  ".a.b = $x | .c = [$x] | .a.d += 1",
  "if .n > 3 then .n = 0 else .n += $x end",
  ".last |= $x",
  ".list |= . + [$x]",
  ".a |= [., .]",
  ".a.b |= empty",
  '[$x] as [$y] | .["k\\($y)"] = $y',
  ".n //= $x",
  ".n = 5 | .n -= $x",
];

describe("reduce", () => {
  test.each(bodies)("with the body %s gives what the copying way gives", (body) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }), (items) => {
        const start = body.startsWith(". + [") ? "[]" : "{}";
        const [fast] = jq(`reduce .[] as $x (${start}; ${body})`, items);
        // An update with two branches is not recognised, so this one copies.
        const [plain] = jq(`reduce .[] as $x (${start}; (${body} | .), empty)`, items);
        expect(fast).toEqual(plain);
      }),
      { numRuns: 50 },
    );
  });

  test("the start value and values put into the state stay as they are", () => {
    expect(jq('{"n": 0} as $s | reduce (1, 2) as $x ($s; .n += $x) | [., $s]')).toEqual([[{ n: 3 }, { n: 0 }]]);
    expect(jq("[9] as $v | reduce (1, 2) as $x ({}; .a = $v | .a += [$x]) | [., $v]")).toEqual([[{ a: [9, 2] }, [9]]]);
    expect(jq("reduce .[] as $x ([]; . + $x)", [[1], [2]])).toEqual([[1, 2]]);
  });

  test("a value read back from the state does not follow later changes", () => {
    expect(jq("reduce (1, 2, 3) as $x ({}; .cur.n = $x | .all |= . + [$x] | .copy = .cur)")).toEqual([
      { cur: { n: 3 }, all: [1, 2, 3], copy: { n: 3 } },
    ]);
    expect(jq("reduce (1, 2) as $x ({a: {}}; .a.n = $x | .kept = ((.kept // []) + [.a]))")).toEqual([
      { a: { n: 2 }, kept: [{ n: 1 }, { n: 2 }] },
    ]);
  });

  test("a table of 100,000 keys is built in one pass", () => {
    expect(jq('reduce range(100000) as $i ({}; .["k\\($i)"] += 1) | length')).toEqual([100_000]);
    expect(jq("reduce range(200000) as $i ([]; . + [$i]) | length")).toEqual([200_000]);
  });
});
