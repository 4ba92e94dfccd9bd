import { describe, expect, test } from "vitest";
import { jq, jqError } from "../../test/jq.ts";

/** [program, input, outputs] */
type Example = readonly [string, unknown, readonly unknown[]];

const examples: Readonly<Record<string, readonly Example[]>> = {
  streams: [
    [
      "[range(3)], [range(1; 3)], [range(0; 10; 4)], [range(3; 0; -1)], [range(0; 3; 0)]",
      null,
      [[0, 1, 2], [1, 2], [0, 4, 8], [3, 2, 1], []],
    ],
    [
      "[limit(2; .[])], [skip(2; .[])], [first(.[])], [last(.[])], [nth(1; .[])]",
      [1, 2, 3],
      [[1, 2], [3], [1], [3], [2]],
    ],
    ["[limit(0; error)], [first(empty)], [last(empty)]", null, [[], [], []]],
    ["[limit(3; repeat(1, 2))]", null, [[1, 2, 1]]],
    ["[while(. < 10; . * 2)], [until(. > 10; . * 2)]", 1, [[1, 2, 4, 8], [16]]],
    [
      "[recurse(if . < 3 then . + 1 else empty end)], [recurse(. * .; . < 20)]",
      2,
      [
        [2, 3],
        [2, 4, 16],
      ],
    ],
    ["[recurse(.[]?; . != 2)]", [1, [2, 3]], [[[1, [2, 3]], 1, [2, 3], 3]]],
    ['[limit(3; recurse(., error("late")))]', 1, [[1, 1, 1]]],
    ["[recurse(.a[]?)] | length", { a: [{ a: [] }, {}] }, [3]],
    ["isempty(empty), isempty(1, error), isempty(.[])", [], [true, false, true]],
    [
      "any, all, any(. > 1), all(. > 1), any(.[]; . == 2), all(.[]; . < 9)",
      [1, 2],
      [true, true, true, false, true, true],
    ],
    [
      "add, add(.[] * 2), ([] | add), ([[1], [2]] | add), ([{a: 1}, {b: 2}] | add)",
      [1, 2],
      [3, 6, null, [1, 2], { a: 1, b: 2 }],
    ],
    ["IN(1, 2), IN(.; 3, 4)", 2, [true, false]],
  ],
  collections: [
    ["map(length)", [[1], "é😀", { a: 1 }, null, -5], [[1, 2, 1, 0, 5]]],
    [
      "keys, keys_unsorted",
      { b: 1, a: 2 },
      [
        ["a", "b"],
        ["b", "a"],
      ],
    ],
    ['has("a"), (["x"] | has(0), has(1), has(-1))', { a: null }, [true, true, false, false]],
    ['("a" | in({a: 1})), (0 | in([5]))', null, [true, true]],
    [
      'contains({a: ["b"]}), ("foobar" | contains("bar")), ([1, [2]] | contains([[2]]))',
      { a: ["abc"], c: 1 },
      [true, true, true],
    ],
    [
      "flatten, flatten(1), ({a: [1, [2]]} | flatten)",
      [1, [2, [3]]],
      [
        [1, 2, 3],
        [1, 2, [3]],
        [1, 2],
      ],
    ],
    ['reverse, ("abc" | reverse), (null | reverse)', [1, 2], [[2, 1], "cba", []]],
    ['join("-"), ([] | join(",")), ([1, null, true] | join(","))', ["a", "b"], ["a-b", "", "1,,true"]],
    [
      'indices("a"), index("a"), rindex("a"), ([1, 2, 1] | indices(1)), ([1, 2, 1, 2] | indices([1, 2])), (null | indices(1))',
      "banana",
      [[1, 3, 5], 1, 5, [0, 2], [0, 2], null],
    ],
    ['index("😀"), index("b")', "a😀b", [1, 2]],
    [
      "transpose",
      [[1], [2, 3]],
      [
        [
          [1, 2],
          [null, 3],
        ],
      ],
    ],
    ["bsearch(2), bsearch(0), bsearch(9)", [1, 2, 3], [1, -1, -4]],
    ["toarray, ([1] | toarray)", 1, [[1], [1]]],
    [
      "to_entries, with_entries(.value += 1), map_values(. + 1), map_values(empty)",
      { a: 1 },
      [[{ key: "a", value: 1 }], { a: 2 }, { a: 2 }, {}],
    ],
    [
      "from_entries",
      [{ k: "a", v: 1 }, { name: "b", Value: 2 }, { key: false, value: 3 }, { key: null, value: 4 }, { key: 1 }],
      [{ a: 1, b: 2, false: 3, null: 4, "1": null }],
    ],
    [
      "[combinations], [[0, 1] | combinations(2)] | length",
      [
        [1, 2],
        [3, 4],
      ],
      [4, 4],
    ],
    [
      'walk(if type == "number" then . + 1 else . end), [walk(numbers, 9)] | length',
      [1, { a: 2 }],
      [2, expect.any(Number)],
    ],
  ],
  sorting: [
    [
      "sort, sort_by(-.), min, max, unique, group_by(. % 2)",
      [3, 1, 2, 1],
      [[1, 1, 2, 3], [3, 2, 1, 1], 1, 3, [1, 2, 3], [[2], [3, 1, 1]]],
    ],
    [
      "sort_by(.a, .b), sort_by(.b)",
      [
        { a: 2, b: 1 },
        { a: 1, b: 2 },
        { a: 1, b: 1 },
      ],
      [
        [
          { a: 1, b: 1 },
          { a: 1, b: 2 },
          { a: 2, b: 1 },
        ],
        [
          { a: 2, b: 1 },
          { a: 1, b: 1 },
          { a: 1, b: 2 },
        ],
      ],
    ],
    [
      "min_by(.a), max_by(.a), unique_by(.a), ([] | min, max_by(.))",
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
      [{ a: 1, b: 1 }, { a: 1, b: 2 }, [{ a: 1, b: 1 }], null, null],
    ],
  ],
  places: [
    [
      '[paths], [paths(type == "number")], [path(..)]',
      { a: [1] },
      [[["a"], ["a", 0]], [["a", 0]], [[], ["a"], ["a", 0]]],
    ],
    [
      'getpath(["a", 0]), getpath(["x", "y"]), setpath(["a", 1]; 2), delpaths([["a", 0]])',
      { a: [1] },
      [1, null, { a: [1, 2] }, { a: [] }],
    ],
    ["pick(.a, .b.c), pick(.[1])?", { a: 1, b: { c: 2, d: 3 } }, [{ a: 1, b: { c: 2 } }]],
    [
      "[tostream], fromstream(tostream), [1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]])]",
      [1, [2]],
      [
        [[[0], 1], [[1, 0], 2], [[1, 0]], [[1]]],
        [1, [2]],
        [[[0], 2], [[0]]],
      ],
    ],
    [
      'path(first(.a, .b)), path(limit(1; .a)), path(.a | select(. == null)), path(.a // .b), path(getpath(["x", 0]))',
      {},
      [["a"], ["a"], ["a"], ["b"], ["x", 0]],
    ],
    [
      'path(reduce ("a", "b") as $k (.; .[$k])), path(foreach (.a, .b) as $x (0; . + 1; $x))',
      {},
      [["a", "b"], ["a"], ["b"]],
    ],
    [
      "path(until(. == null; .a)), path(last(.a, .b)), path(recurse(.a; . != null))",
      { a: {} },
      [["a", "a"], ["b"], [], ["a"]],
    ],
  ],
  strings: [
    ["ascii_upcase, ascii_downcase, (explode | implode), utf8bytelength", "aÉ", ["AÉ", "aÉ", "aÉ", 3]],
    [
      'split(", "), (. / ", "), ("" | split(",")), ("ab" | split(""))',
      "a, b",
      [["a", "b"], ["a", "b"], [], ["a", "b"]],
    ],
    [
      'ltrimstr("a"), rtrimstr("a"), trimstr("a"), startswith("a"), endswith("b")',
      "aba",
      ["ba", "ab", "b", true, false],
    ],
    ["trim, ltrim, rtrim", " \u00a0a\n", ["a", "a\n", " \u00a0a"]],
    [".[1:], .[:-1], . * 2, . * 0, 2 * .", "añb", ["ñb", "añ", "añbañb", "", "añbañb"]],
    [
      'tostring, tojson, ("1" | tonumber), ("true" | toboolean), ([65] | implode), (65 | ascii)',
      [1, "a"],
      ['[1,"a"]', '[1,"a"]', 1, true, "A", "A"],
    ],
  ],
  formats: [
    [
      "@text, @json, @html, @uri, @sh, @base64, @base32",
      "<é'>",
      ["<é'>", '"<é\'>"', "&lt;é&apos;&gt;", "%3C%C3%A9%27%3E", "'<é'\\''>'", "PMOpJz4=", "HTB2SJZ6"],
    ],
    [
      "@csv, @tsv, @sh",
      ['a"b', 1, null, true, "t\tn"],
      ['"a""b",1,,true,"t\tn"', 'a"b\t1\t\ttrue\tt\\tn', "'a\"b' 1 null true 't\tn'"],
    ],
    ['@base64d, @urid, ("HTB2SJZ6" | @base32d)', "YSUyMGI=", ["a%20b", "YSUyMGI=", "<é'>"]],
    ['@uri "q=\\(.)&x", @json "v: \\(.)", format("text")', "a b", ["q=a%20b&x", 'v: "a b"', "a b"]],
  ],
  math: [
    ["floor, ceil, round, sqrt, fabs, trunc", 2.25, [2, 3, 2, 1.5, 2.25, 2]],
    ["[pow(2; 10), log2, exp2, exp10, cbrt]", 8, [[1024, 3, 256, 1e8, 2]]],
    [
      "[frexp, modf, significand, logb, ldexp(.; 2), drem(.; 3), gamma]",
      5.5,
      [[[0.6875, 3], [0.5, 5], 1.375, 2, 22, -0.5, expect.closeTo(3.9578139676187165, 12)]],
    ],
    ["[tgamma, lgamma_r[1]]", 5, [[24, 1]]],
    ["5 % 3, -5 % 3, 5 % -3, 5.9 % 3.9", null, [2, -2, 2, 2]],
    [
      "[infinite, -infinite | isinfinite], [nan | isnan], (1 | isnormal), ([1, nan] | map(abs) | length)",
      null,
      [[true, true], [true], true, 2],
    ],
    ["map(nearbyint)", [0.5, 1.5, 2.5, -0.5], [[0, 2, 2, 0]]],
  ],
  environment: [
    ['debug, stderr, debug(1, 2), input_line_number, [splits("x")?]', 1, [1, 1, 1, 0, []]],
    ["have_decnum, have_literal_numbers, get_search_list", null, [false, true, []]],
    [
      '(builtins | length > 150), (builtins | index("map/1") != null), (builtins | any(startswith("_")))',
      null,
      [true, true, false],
    ],
    ['(INDEX(.id) | keys), JOIN({"1": "x"}; .id | tostring)', [{ id: 1 }], [["1"], [[{ id: 1 }, "x"]]]],
  ],
};

for (const [domain, list] of Object.entries(examples)) {
  describe(domain, () => {
    test.each(list)("%s on %j", (program, input, expected) => {
      expect(jq(program, input)).toEqual(expected);
    });
  });
}

describe("wrong kinds fail in jq's words", () => {
  test.each([
    ["sort", 1, "number (1) cannot be sorted, as it is not an array"],
    ["sort_by(.a)", 1, "Cannot iterate over number (1)"],
    ["flatten(-1)", [], "flatten depth must not be negative"],
    ["limit(-1; 1)", null, "limit doesn't support negative count"],
    ["skip(-1; 1)", null, "skip doesn't support negative count"],
    ["nth(-1; 1)", null, "nth doesn't support negative indices"],
    ['range("a")', null, "Range bounds must be numeric"],
    ["implode", ["a"], 'string ("a") can\'t be imploded, unicode codepoint needs to be numeric'],
    ["explode", 1, "explode input must be a string"],
    ["split(1)", "a", "split input and separator must be strings"],
    ['startswith("a")', 1, "startswith() requires string inputs"],
    ['ltrimstr("a")', 1, "startswith() requires string inputs"],
    ["trim", 1, "trim input must be a string"],
    ["tonumber", [], "array ([]) cannot be parsed as a number"],
    ["toboolean", "x", 'string ("x") cannot be parsed as a boolean'],
    ["utf8bytelength", 1, "number (1) only strings have UTF-8 byte length"],
    ["@csv", 1, "number (1) cannot be csv-formatted, only array"],
    ["@csv", [[]], "array ([]) is not valid in a csv row"],
    ["@sh", [{}], "object ({}) can not be escaped for shell"],
    ["@base64d", "a!", 'string ("a!") is not valid base64 data'],
    ["contains(1)", "a", 'string ("a") and number (1) cannot have their containment checked'],
    ["join(1)", ["a", "b"], 'string ("a") and number (1) cannot be added'],
    ["getpath(1)", null, "Path must be specified as an array"],
    ["abs", [], "array ([]) has no absolute value"],
    ["from_entries", [1], 'Cannot index number with string "key"'],
    ["bsearch(1)", "x", 'string ("x") cannot be searched from'],
    ["fromjson", 1, "number (1) only strings can be parsed"],
  ])("%s on %j", (program, input, message) => {
    expect(jqError(program, input).message).toBe(message);
  });
});
