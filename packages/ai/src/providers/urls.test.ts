import { expect, test } from "vitest";
import { versioned } from "./urls.ts";

test.each([
  ["https://api.openai.com", "v1", "https://api.openai.com/v1"],
  ["https://api.openai.com/v1/", "v1", "https://api.openai.com/v1"],
  ["https://proxy.example.com/openai/v1", "v1", "https://proxy.example.com/openai/v1"],
  ["https://generativelanguage.googleapis.com/v1beta", "v1beta", "https://generativelanguage.googleapis.com/v1beta"],
])("%s with %s is %s", (url, version, expected) => {
  expect(versioned(url, version)).toBe(expected);
});
