import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jq } from "./jq.ts";

/** Any JSON value, with keys that objects inherit among the names. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const path = fc.array(fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.nat({ max: 3 })), {
  maxLength: 3,
});

/** Each program holds for every value: its one output is true. */
const laws = [
  ". == (tojson | fromjson)",
  ". == fromstream(tostream)",
  ". == (.. |= .)",
  ". == walk(.)",
  '. == (if type == "object" then with_entries(.) else . end)',
  '. == (if type == "array" then map(.) else . end)',
  '. == (if type == "object" or type == "array" then map_values(.) else . end)',
  ". as $v | all(paths; . as $p | $v | setpath($p; getpath($p)) == $v)",
  "([..] | length) == ([paths] | length) + 1",
  "[..] | sort | . == sort",
  "[., .] | unique | length == 1",
  "[..] | (sort | group_by(.) | flatten(1)) == sort",
  "del(..) == null",
];

describe("laws that hold for every value", () => {
  test.each(laws)("%s", (law) => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jq(law, value)).toEqual([true]);
      }),
      { numRuns: 200 },
    );
  });

  test("the order of any two values is one of less, equal and greater", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(jq("[.[0] < .[1], .[0] == .[1], .[0] > .[1]] | map(select(.)) | length", [a, b])).toEqual([1]);
      }),
      { numRuns: 300 },
    );
  });

  test("what is set at a path is read there, and deleting it leaves nothing", () => {
    fc.assert(
      fc.property(path, json, (keys, value) => {
        const program = ". as [$k, $v] | null | setpath($k; $v) | [getpath($k) == $v, (delpaths([$k]) | getpath($k))]";
        expect(jq(program, [keys, value])).toEqual([[true, null]]);
      }),
      { numRuns: 300 },
    );
  });

  test("text survives every encoding and back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(
          jq(
            "[(@base64 | @base64d), (@base32 | @base32d), (@uri | @urid), (tojson | fromjson), (explode | implode)]",
            text,
          ),
        ).toEqual([[text, text, text, text, text]]);
      }),
      { numRuns: 300 },
    );
  });
});
