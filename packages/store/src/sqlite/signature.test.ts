import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MAX_PARTS, mayContain, signaturesOf } from "./signature.ts";

const db = new DatabaseSync(":memory:");
const names = Array.from({ length: 10 }, (_, index) => `s${index}`);

/** Whether any signature of the text lets the word pass. */
function passes(text: string, word: string): boolean {
  const condition = mayContain(word, "g");
  if (condition === undefined) return true;
  const values = signaturesOf(text).map((columns) => `(${columns.join(", ")})`);
  const query = `with g(${names.join(", ")}) as (values ${values.join(", ")}) select count(*) as n from g where ${condition}`;
  return Number(db.prepare(query).get()?.["n"]) > 0;
}

const text = (length: number, seed: number): string => {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join("");
};

test("a word that is in the text passes, wherever it is and however long", () => {
  for (const length of [3, 50, 400, 3000]) {
    const whole = text(length, length);
    for (let at = 0; at < length - 2; at += Math.max(1, length >> 5))
      for (const size of [3, 5, 16, 17, 60]) expect(passes(whole, whole.slice(at, at + size))).toBe(true);
  }
});

test("hardly any word that is not in the text passes", () => {
  const whole = text(2000, 1);
  const strangers = Array.from({ length: 200 }, (_, n) => text(9, n + 100)).filter((word) => !whole.includes(word));
  expect(strangers.filter((word) => passes(whole, word)).length).toBeLessThan(strangers.length / 10);
});

test("a text too long for its parts has no more parts, and is still found by its end", () => {
  const whole = text(40_000, 7);
  expect(signaturesOf(whole).length).toBe(MAX_PARTS);
  expect(passes(whole, whole.slice(-20))).toBe(true);
});

test("a short text has one signature, and a short word says nothing", () => {
  expect(signaturesOf("").length).toBe(1);
  expect(signaturesOf("ab").length).toBe(1);
  expect(mayContain("ab", "g")).toBeUndefined();
});
