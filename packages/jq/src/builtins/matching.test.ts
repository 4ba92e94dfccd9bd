import { describe, expect, test } from "vitest";
import { jq, jqError } from "../../test/jq.ts";

/** What a pattern finds in a text: all matches, as text. */
const found = (pattern: string, text: string, flags = "g"): unknown =>
  jq("[match($p; $f).string]".replace("$p", JSON.stringify(pattern)).replace("$f", JSON.stringify(flags)), text)[0];

describe("pattern syntax", () => {
  test.each([
    ["a|b", "abc", ["a", "b"]],
    ["a*?b", "aab", ["aab"]],
    ["a{2}", "aaaa", ["aa", "aa"]],
    ["a{1,2}?", "aa", ["a", "a"]],
    ["a{,2}", "a{,2}", ["a{,2}"]],
    ["(?:ab)+", "ababx", ["abab"]],
    ["[a-c]+", "xabcz", ["abc"]],
    ["[^a-c]+", "xabcz", ["x", "z"]],
    ["[]a]", "]a", ["]", "a"]],
    ["[a-]", "-a", ["-", "a"]],
    ["[[:alpha:]]+", "ab1é", ["ab", "é"]],
    ["[[:^digit:]]", "1a", ["a"]],
    ["[^\\W\\d]", "a1_", ["a", "_"]],
    ["\\d+", "12٣x", ["12٣"]],
    ["\\w+", "aé_1-", ["aé_1"]],
    ["\\s", "a\u3000b", ["\u3000"]],
    ["\\p{L}+", "aé1", ["aé"]],
    ["\\P{L}", "a1", ["1"]],
    ["\\p{^L}", "a1", ["1"]],
    ["\\p{Han}", "a漢", ["漢"]],
    ["\\x{e9}", "é", ["é"]],
    ["\\x61\\141", "aa", ["aa"]],
    ["\\Qa.b\\E+", "a.bb", ["a.bb"]],
    ["^b", "a\nb", []],
    ["(?m)^b", "a\nb", ["b"]],
    ["b$", "a\nb\n", ["b"]],
    ["b\\z", "b\n", []],
    ["a.b", "a\nb", []],
    ["(?s)a.b", "a\nb", ["a\nb"]],
    ["\\bfoo\\b", "foo-food", ["foo"]],
    ["\\Boo", "foo oo", ["oo"]],
    ["(?i)ab", "AB", ["AB"]],
    ["a(?i:b)c", "aBc aBC", ["aBc"]],
    ["a(?i)b|c", "aB AC", ["aB", "C"]],
    ["(?x) a b # comment", "ab", ["ab"]],
    ["a(?#comment)b", "ab", ["ab"]],
    ["(?=a)\\w", "ba", ["a"]],
    ["a(?!b).", "abac", ["ac"]],
    ["(?<=a)b", "ab b", ["b"]],
    ["(?<!a)b", "ab b", ["b"]],
    ["(?<=a+)b", "aab", ["b"]],
    ["(a)\\1", "aa", ["aa"]],
    ["(?<n>a|b)\\k<n>", "abbb", ["bb"]],
    ["(?>a+)b", "aab", ["aab"]],
    ["(?>a*)a", "aaa", []],
    ["a++b", "aab", ["aab"]],
    ["a\\Kb", "ab", ["b"]],
    ["\\R", "a\r\nb", ["\r\n"]],
    ["\\X", "e\u0301", ["e\u0301"]],
    ["(a|ab)(c|bcd)", "abcd", ["abcd"]],
    ["(?:a?)*b", "aab", ["aab"]],
    ["", "ab", ["", "", ""]],
    ["x*", "axb", ["", "x", "", ""]],
  ])("%j finds in %j", (pattern, text, expected) => {
    expect(found(pattern, text)).toEqual(expected);
  });

  test.each([
    ["gi", "A", "a", ["a"]],
    ["gx", "a b", "ab", ["ab"]],
    ["gn", "a*", "ba", ["a"]],
    ["gl", "a|ab", "ab", ["ab"]],
    ["gp", "a.b", "a\nb", ["a\nb"]],
    ["gs", "a.b", "a\nb", []],
    ["", "a", "aa", ["a"]],
  ])("flags %j", (flags, pattern, text, expected) => {
    expect(found(pattern, text, flags)).toEqual(expected);
  });

  test.each([
    ["(", "end pattern with unmatched parenthesis"],
    ["a)", "unmatched close parenthesis"],
    ["[a", "premature end of char-class"],
    ["[z-a]", "empty range in char class"],
    ["*", "target of repeat operator is not specified"],
    ["^*", "target of repeat operator is invalid"],
    ["a{2,1}", "upper is smaller than lower in repeat range"],
    ["\\", "end pattern at escape"],
    ["(?<1>a)", "invalid group name <1>"],
    ["\\p{Nope}", "invalid character property name {Nope}"],
    ["\\k<x>", "undefined name <x> reference"],
    ["(?:a{1000}b){1000}(?:c{9}d){60000}", "too big pattern"],
  ])("%j is refused", (pattern, message) => {
    expect(jqError(`test(${JSON.stringify(pattern)})`, "x").message).toBe(`Regex failure: ${message}`);
  });
});

describe("builtins", () => {
  test("offsets count characters, not bytes or UTF-16 units", () => {
    expect(jq('match("b") | .offset, .length', "😀éb")).toEqual([2, 1]);
  });

  test("captures tell where each group matched, and -1 where it did not", () => {
    expect(jq('match("(?<x>a)?(b)") | .captures', "b")).toEqual([
      [
        { offset: -1, length: 0, string: null, name: "x" },
        { offset: 0, length: 1, string: "b", name: null },
      ],
    ]);
  });

  test("a group keeps its last match through the rounds of a repeat", () => {
    expect(jq('match("(?:(a)|b)*") | .captures[0].string', "ab")).toEqual(["a"]);
  });

  test.each([
    ['test("A"; "i"), test(["A", "i"]), test("x")', "a", [true, true, false]],
    ['capture("(?<y>\\\\d+)-(?<m>\\\\d+)")', "2015-03", [{ y: "2015", m: "03" }]],
    [
      '[scan("[a-z]\\\\d")], [scan("([a-z])(\\\\d)")], [scan("A"; "i")]',
      "a1b2",
      [
        ["a1", "b2"],
        [
          ["a", "1"],
          ["b", "2"],
        ],
        ["a"],
      ],
    ],
    [
      'split(", *"; null), [splits(",")]',
      "a, b",
      [
        ["a", "b"],
        ["a", " b"],
      ],
    ],
    [
      'sub("b"; "x"), gsub("b"; "x"), gsub("B"; "x"; "i"), sub("(?<l>b)"; "[\\(.l)]")',
      "abab",
      ["axab", "axax", "axax", "a[b]ab"],
    ],
    [
      '[sub("a"; "1", "2")], gsub("^"; ">"), gsub("$"; "<"), gsub(""; "-")',
      "ab",
      [["1b", "2b"], ">ab", "ab<", "-a-b-"],
    ],
    ['[match("a"; "g").offset], [match("z")]', "aba", [[0, 2], []]],
  ])("%s", (program, input, expected) => {
    expect(jq(program, input)).toEqual(expected);
  });

  test.each([
    ['test("a")', 1, "number (1) cannot be matched, as it is not a string"],
    ["test(1)", "a", "number not a string or array"],
    ['test("a"; 1)', "a", "number (1) is not a string"],
    ['test("a"; "q")', "a", "q is not a valid modifier string"],
    ['sub("a"; 1)', "a", 'string ("") and number (1) cannot be added'],
  ])("%s on %j fails in jq's words", (program, input, message) => {
    expect(jqError(program, input).message).toBe(message);
  });
});
