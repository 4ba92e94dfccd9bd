import fc from "fast-check";
import { expect, test } from "vitest";
import { NotJson } from "./json-check.ts";
import { ResultSplitter } from "./split-result.ts";

function split(text: string, chunkBytes: number) {
  const bytes = Buffer.from(text);
  const splitter = new ResultSplitter(1000);
  const output: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    output.push(...splitter.write(bytes.subarray(at, at + chunkBytes)));
  return { ...splitter.end(), output: Buffer.concat(output).toString() };
}

test("a result is divided, however it is cut, and nothing is lost", () => {
  const tricky = fc.constantFrom("outputData", 'outputData":{', "x", '\\"outputData');
  const result = fc.record({
    before: fc.dictionary(tricky, fc.jsonValue()),
    outputData: fc.dictionary(fc.string(), fc.jsonValue()),
    after: fc.oneof(fc.jsonValue(), tricky),
  });
  fc.assert(
    fc.property(result, fc.integer({ min: 1, max: 20 }), fc.constantFrom(undefined, 1), (value, size, indent) => {
      const { rest, hasOutput, output } = split(JSON.stringify(value, undefined, indent), size);
      expect(hasOutput).toBe(true);
      expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(value.outputData)));
      expect(JSON.parse(rest)).toEqual(JSON.parse(JSON.stringify({ ...value, outputData: {} })));
    }),
  );
});

test("a result without an output, or with one that is no object, stays whole", () => {
  for (const text of ['{"taskId":"t"}', '{"outputData":null}', '{"a":{"outputData":{}}}', '["outputData",{}]', ""]) {
    expect(split(text, 3)).toEqual({ rest: text, hasOutput: false, output: "" });
  }
});

test("an output that is not JSON, or is there twice, is refused", () => {
  for (const text of ['{"outputData":{a}}', '{"outputData":{', '{"outputData":{},"outputData":{}}']) {
    expect(() => split(text, 4)).toThrow(NotJson);
  }
});
