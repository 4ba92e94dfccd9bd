import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonCheck, NotJson } from "./json-check.ts";

/** As the check sees it, in chunks of a size; true when it is one JSON object and nothing else. */
function isObject(text: string | Uint8Array, chunkBytes: number): boolean {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const check = new JsonCheck(1000);
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes);
      const end = check.write(chunk);
      if (end !== undefined)
        return (
          Buffer.from(bytes.subarray(at + end))
            .toString()
            .trim() === ""
        );
    }
    return false;
  } catch (error) {
    if (error instanceof NotJson) return false;
    throw error;
  }
}

function isObjectToNode(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const anObject = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

test("every JSON object passes, however it is cut", () => {
  fc.assert(
    fc.property(anObject, fc.integer({ min: 1, max: 9 }), fc.constantFrom(undefined, 2), (value, size, indent) => {
      expect(isObject(JSON.stringify(value, undefined, indent), size)).toBe(true);
    }),
  );
});

test("what was damaged passes exactly when it is still JSON", () => {
  const signs = fc.constantFrom(...'{}[]",:\\0123456789.-+eEtrufalsn \t\n\u0001é😀');
  fc.assert(
    fc.property(
      anObject,
      fc.nat(),
      signs,
      fc.constantFrom(0, 1),
      fc.integer({ min: 1, max: 7 }),
      (value, place, sign, drop, size) => {
        const text = [...JSON.stringify(value)];
        text.splice(place % text.length, drop, sign);
        const damaged = text.join("").toWellFormed();
        expect(isObject(damaged, size)).toBe(isObjectToNode(damaged));
      },
    ),
    { numRuns: 3000 },
  );
});

test.each([
  ["[]", false],
  ["1", false],
  ["", false],
  ['{"a":01}', false],
  ['{"a":-}', false],
  ['{"a":1.}', false],
  ['{"a":1e}', false],
  ['{"a":1e+5,"b":-0.5E-3}', true],
  ['{"a":"\\u12G4"}', false],
  ['{"a":"\\x"}', false],
  ['{"a":tru}', false],
  ['{"a":1}}', false],
  ['{"a":1] ', false],
  [`${'{"a":'.repeat(1001)}1${"}".repeat(1001)}`, false],
])("%s", (text, isGood) => expect(isObject(text, 3)).toBe(isGood));

test("texts must be UTF-8", () => {
  const bad = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  for (const size of [1, 2, 7, 100]) expect(isObject(bad, size)).toBe(false);
});
