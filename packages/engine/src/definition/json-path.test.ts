import { expect, test } from "vitest";
import { isJsonPath } from "./json-path.ts";

test.each([
  "workflow.input.x",
  "workflow",
  "a.b ",
  "a-b",
  "a+b",
  "a:b",
  "a..b",
  "$.a.b",
  "a[0]",
  "a[-1]",
  "a[0:2]",
  "a[:2]",
  "a[ 1 ]",
  "a[0,1]",
  "a[*].b",
  "a['b c'].d",
  'a["b"]',
  "a['b', 'c']",
  "a['it\\'s ]']",
  "a[?(@.id == 2)].name",
  "a[?(@.name == ']')]",
  "a.length()",
  "a.concat('x y', \"z\")",
  "a(b",
  "größe.x",
])("%j can be read", (path) => {
  expect(isJsonPath(path)).toBe(true);
});

test.each([
  "",
  " ",
  "a.",
  "a. ",
  "a..",
  " a.b",
  "a b.c",
  "a.b c",
  "a. b",
  "a[]",
  "a[abc]",
  "a['x'",
  "a['x",
  "a['x' 'y']",
  "a['x',]",
  "a[0",
  "a[",
  "a[?(@.x",
  "a[1.5]",
])("%j cannot be read", (path) => {
  expect(isJsonPath(path)).toBe(false);
});

test.each(["[", "(", "['", "[?(", "a.", "' '", "[1", "[0]"])("a long run of %j is read in one pass", (part) => {
  expect(isJsonPath(part.repeat(200_000))).toBeTypeOf("boolean");
});
