import { expect, test } from "vitest";
import { mediaTypeOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

test.each([
  ["%PDF-1.7 …", {}, "application/pdf"],
  ["\n\n%PDF-1.4", { mediaType: "text/html" }, "application/pdf"],
  ["PK\x03\x04rest", { contentType: "text/plain" }, "application/zip"],
  ["\xd0\xcf\x11\xe0", { location: "old.doc" }, "application/x-ole-storage"],
  ["\x89PNG", {}, "image/png"],
  ["a,b", { mediaType: "auto", contentType: "text/csv; charset=utf-8" }, "text/csv"],
  ["a,b", { contentType: "application/octet-stream", location: "https://x.example/data.csv?v=1" }, "text/csv"],
  ["{}", { mediaType: "application/json", contentType: "text/html" }, "application/json"],
  ["  <!DOCTYPE html><p>x", { contentType: "text/plain" }, "text/html"],
  ["<!-- a --><html>", {}, "text/html"],
  ["plain words", {}, "text/plain"],
  ["a\0b", {}, "application/octet-stream"],
  ["\xff\xfea\0b\0", {}, "text/plain"],
] as const)("%j with %j is %s", (content, hints, type) => {
  const none = { mediaType: undefined, contentType: undefined, location: undefined };
  expect(mediaTypeOf(bytes(content), { ...none, ...hints })).toBe(type);
});
