import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { aScope, stored } from "./a-scope.ts";
import { parsePath } from "./parse-path.ts";
import { stringifyResolved, toJson } from "./raw-json.ts";
import { readPath } from "./read-path.ts";

const books = [
  { id: 1, title: "Sayings", price: 8.95, tags: ["old"], author: { name: "Rees" } },
  { id: 2, title: "Sword", price: 12.99, tags: ["war", "old"], isbn: null },
  { id: "3", title: "Moby", price: 8.99, tags: [] },
];
const data = {
  b: 1,
  s: "text",
  "my key": 2,
  "dot.ted": 3,
  "it's": 4,
  "my-key": 5,
  nul: null,
  list: [{ id: 1, n: 10 }, { id: 2, n: 20 }, { id: 3 }],
  books,
  numbers: [1, 2, 3],
  mixed: [1, "x", null, 2],
  words: ["a", "b"],
  empty: {},
  none: [],
  deep: { id: "top", inner: { id: "mid", more: [{ id: "low" }] } },
  limit: 2,
};
const scope = aScope({ a: stored(data) });

function read(path: string): Json | undefined {
  const parsed = parsePath(path);
  return parsed && toJson(readPath(parsed, scope));
}

describe("paths", () => {
  test.each<[path: string, result: Json]>([
    ["a.b", 1],
    ["$.a.b", 1],
    ["$['a']['b']", 1],
    ["a['b']", 1],
    ['a["b"]', 1],
    ["a.['b']", 1],
    ["a[ 'b' ]", 1],
    ["a['my key']", 2],
    ["a['dot.ted']", 3],
    ["a['it\\'s']", 4],
    ["a.my-key", 5],
    ["a.list[0].n", 10],
    ["a.list[-1].id", 3],
    ["a.list[9]", null],
    ["a.list[-9]", null],
    ["a.list[*].n", [10, 20]],
    ["a.list.*.n", [10, 20]],
    ["a.list[0:1]", [{ id: 1, n: 10 }]],
    ["a.numbers[1:]", [2, 3]],
    ["a.numbers[:2]", [1, 2]],
    ["a.numbers[-2:]", [2, 3]],
    ["a.numbers[0,2]", [1, 3]],
    ["a.numbers[5:9]", []],
    ["a..id", [1, 2, 3, 1, 2, "3", "top", "mid", "low"]],
    ["a.deep..id", ["top", "mid", "low"]],
    ["a.deep..['id']", ["top", "mid", "low"]],
    ["a.deep..more[0].id", ["low"]],
    ["a.numbers..*", [1, 2, 3]],
    ["a['b','s']", { b: 1, s: "text" }],
    ["a['b','nope']", { b: 1 }],
    ["a.nope['b','s']", null],
    ["a.books[*]['id','isbn']", [{ id: 1 }, { id: 2, isbn: null }, { id: "3" }]],
    ["a['deep','empty'].id", ["top"]],
    ["a.empty.*", []],
    ["a.none[*]", []],
    ["a.nope[*].x", []],
    ["a.nope..x", []],
    ["a.nul[*]", []],
    ["a.s[*]", []],
    ["a.nope[?(@.x)]", []],
    ["a.list.n", null],
    ["a.list.0", null],
    ["a.list.length", null],
    ["a.b.c", null],
    ["a.nul.c", null],
    ["a[0]", null],
    ["nope", null],
    ["nope.b", null],
    ["nope[*]", []],
  ])("%s gives %j", (path, result) => {
    expect(read(path)).toEqual(result);
  });
});

describe("functions", () => {
  test.each<[path: string, result: Json]>([
    ["a.list.length()", 3],
    ["a.list.size()", 3],
    ["a.empty.length()", 0],
    ["a.deep.keys()", ["id", "inner"]],
    ["a.numbers.sum()", 6],
    ["a.numbers.min()", 1],
    ["a.numbers.max()", 3],
    ["a.numbers.avg()", 2],
    ["a.numbers.stddev()", Math.sqrt(2 / 3)],
    ["a.mixed.sum()", 3],
    ["a.list[*].n.sum()", 30],
    ["a..id.length()", 9],
    ["a.numbers.first()", 1],
    ["a.numbers.last()", 3],
    ["a.list.last().id", 3],
    ["a.deep.keys()[0]", "id"],
    ["a.words.concat()", "ab"],
    ["a.words.concat('-', $.a.s, 1)", "ab-text1"],
    ["a.numbers.sum($.a.limit, 4)", 12],
    ["a.s.length()", null],
    ["a.numbers.keys()", null],
    ["a.none.sum()", null],
    ["a.words.sum()", null],
    ["a.s.first()", null],
    ["a.none.first()", null],
    ["a.nope.length()", null],
    ["a.b.concat()", null],
  ])("%s gives %j", (path, result) => {
    expect(read(path)).toEqual(result);
  });

  test("number functions give floating point", () => {
    const sum = parsePath("a.numbers.sum()");
    expect(sum && stringifyResolved(readPath(sum, scope))).toBe("6.0");
  });
});

describe("filters", () => {
  const ids = (...found: Json[]): Json => found;
  test.each<[filter: string, ids: Json]>([
    ["@.id==2", ids(2)],
    ["@.id == 2", ids(2)],
    ["@['id'] == 2", ids(2)],
    ["@.id == '2'", ids(2)],
    ["@.id == 3", ids("3")],
    ["@.id != 2", ids(1, "3")],
    ["@.price < 9", ids(1, "3")],
    ["@.price <= 8.95", ids(1)],
    ["@.price > 9", ids(2)],
    ["@.price >= 8.99", ids(2, "3")],
    ["@.title > 'Moby'", ids(1, 2)],
    ["@.title < 5", ids()],
    ['@.title === "Sword"', ids(2)],
    ["@.title !== 'Sword'", ids(1, "3")],
    ["@.isbn", ids(2)],
    ["!@.isbn", ids(1, "3")],
    ["@.isbn == null", ids(2)],
    ["@.isbn != null", ids(1, "3")],
    ["@.author.name", ids(1)],
    ["@.author.name == 'Rees'", ids(1)],
    ["@.tags[*]", ids(1, 2)],
    ["@.tags[0] == 'war'", ids(2)],
    ["@.tags.length() == 2", ids(2)],
    ["@.id == 1 || @.id == 2", ids(1, 2)],
    ["@.price < 9 && @.tags[0]", ids(1)],
    ["@.id == 1 || @.id == 2 && @.price > 100", ids(1)],
    ["(@.id == 1 || @.id == 2) && @.price > 9", ids(2)],
    ["!(@.id == 1)", ids(2, "3")],
    ["@.id in [1, '3']", ids(1, "3")],
    ["@.id nin [1, 2]", ids("3")],
    ["@.nope nin [1]", ids(1, 2, "3")],
    ["@.tags contains 'old'", ids(1, 2)],
    ["@.title contains 'ay'", ids(1)],
    ["@.tags size 2", ids(2)],
    ["@.tags empty true", ids("3")],
    ["@.tags subsetof ['old', 'new']", ids(1, "3")],
    ["@.tags anyof ['war']", ids(2)],
    ["@.tags noneof ['war']", ids(1, "3")],
    ["@.tags == ['old']", ids(1)],
    ["@.id == $.a.limit", ids(2)],
    ["@.id == $.a.nope", ids()],
    ["2 == @.id", ids(2)],
    ["@.price == 8.95e0", ids(1)],
    ["@.id == true", ids()],
  ])("[?(%s)] finds %j", (filter, found) => {
    expect(read(`a.books[?(${filter})].id`)).toEqual(found);
  });

  test("the value itself can be compared", () => {
    expect(read("a.numbers[?(@ > 1)]")).toEqual([2, 3]);
  });

  test("an object is tested itself", () => {
    expect(read("a.deep[?(@.id == 'top')].inner.id")).toEqual(["mid"]);
    expect(read("a.deep[?(@.id == 'other')]")).toEqual([]);
  });
});

describe("syntax errors", () => {
  test.each([
    "",
    " a.b",
    "a.b ",
    "a b",
    "a.",
    "a..",
    ".a",
    "a...b",
    "a[",
    "a[]",
    "a[b]",
    "a['b",
    "a['b'",
    "a['b']x",
    "a['b',]",
    "a[1",
    "a[1.5]",
    "a[:]",
    "a[1:2:3]",
    "a[?(@.x]",
    "a[?@.x]",
    "a[?()]",
    "a[?(@.x ==)]",
    "a[?(@.x == y)]",
    "a[?(@.x =~ /x/)]",
    "a[?(1)]",
    "a[?(@.x &&)]",
    "a.unknown()",
    "a.length(",
    "a.concat(,)",
    "$..id",
    "*",
    "[0]",
  ])("%j is none of the language", (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  test.each([
    ["parentheses", `a[?(${"(".repeat(1000)}@.x${")".repeat(1000)})]`],
    ["negations", `a[?(${"!".repeat(100_000)}@.x)]`],
    ["lists", `a.concat(${"[".repeat(100_000)}`],
  ])("%s nested beyond reason are refused", (_what, path) => {
    expect(parsePath(path)).toBeUndefined();
  });
});

describe("cost", () => {
  test("a path that would visit a power of the data finds nothing", () => {
    const nested = JSON.parse("[".repeat(3000) + "]".repeat(3000)) as Json;
    const path = parsePath("a..*..*..*");
    expect(path && readPath(path, aScope({ a: nested }))).toEqual([]);
  });

  test("data nested deeper than calls can be is searched", () => {
    const nested = JSON.parse(`${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}`) as Json;
    const path = parsePath("a..y");
    expect(path && readPath(path, aScope({ a: nested }))).toEqual([]);
  });
});
