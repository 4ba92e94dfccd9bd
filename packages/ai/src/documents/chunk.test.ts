import fc from "fast-check";
import { expect, test } from "vitest";
import { chunkText } from "./chunk.ts";

test.each([
  ["one two three four", { size: 9, overlap: 0 }, ["one two", "three", "four"]],
  ["First one. Second one. Third.", { size: 24, overlap: 0 }, ["First one. Second one.", "Third."]],
  ["Para one\n\nPara two\n\nPara three", { size: 22, overlap: 0 }, ["Para one\n\nPara two", "Para three"]],
  ["abcdefghij", { size: 4, overlap: 0 }, ["abcd", "efgh", "ij"]],
  ["aa bb cc dd ee", { size: 8, overlap: 3 }, ["aa bb", "bb cc", "cc dd ee"]],
  ["short", { size: 100, overlap: 10 }, ["short"]],
  ["  \n ", { size: 10, overlap: 0 }, []],
  ["", { size: 10, overlap: 0 }, []],
])("%j in chunks of %j is %j", (text, options, chunks) => {
  expect(chunkText(text, options)).toEqual(chunks);
});

test("no chunk is too long or blank, none splits a character, and nothing but blanks is lost", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", ".", "é", "😀"), maxLength: 300 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 50 }), fc.integer({ min: 0, max: 60 }), (text, size, overlap) => {
      const chunks = chunkText(text, { size, overlap });
      for (const chunk of chunks) {
        expect(chunk.length).toBeLessThanOrEqual(size);
        expect(chunk.trim()).not.toBe("");
        expect(chunk.isWellFormed()).toBe(true);
      }
      if (overlap === 0) expect(chunks.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      let from = 0;
      for (const chunk of chunks) {
        const at = text.indexOf(chunk, from);
        expect(at).toBeGreaterThanOrEqual(0);
        from = at;
      }
    }),
  );
});
