import { describe, expect, test } from "vitest";
import { readPriceTable } from "./price-table.ts";

const table = readPriceTable(
  JSON.stringify({
    "openai/gpt-4o": { input: 2.5, output: 10 },
    "openai/gpt-4o*": { input: 3, output: 12 },
    "openai/gpt-4o-mini*": { input: 0.15, output: 0.6 },
    "azure_openai/gpt-4o": { input: 4, output: 16 },
    "grok/grok-4": { input: 5, output: 25 },
    "huggingface/meta-llama/*": { input: 1, output: 2 },
    "ollama/*": { input: 0, output: 0 },
  }),
);

const inputPrice = (provider: string, model: string) => table.find(provider, model)?.input;

describe("prices by provider and model", () => {
  test("the exact name goes before a wildcard, and the longer wildcard before the shorter", () => {
    expect(inputPrice("openai", "gpt-4o")).toBe(2.5);
    expect(inputPrice("openai", "gpt-4o-2024-11-20")).toBe(3);
    expect(inputPrice("openai", "gpt-4o-mini-2024-07-18")).toBe(0.15);
    expect(inputPrice("huggingface", "meta-llama/Llama-3.3-70B-Instruct")).toBe(1);
    expect(inputPrice("ollama", "llama3")).toBe(0);
  });

  test("what is not in it has no price, however near a name is", () => {
    expect(inputPrice("openai", "gpt-4")).toBeUndefined();
    expect(inputPrice("openai", "my-gpt-4o")).toBeUndefined();
    expect(inputPrice("anthropic", "gpt-4o")).toBeUndefined();
    expect(inputPrice("grok", "grok-4-fast")).toBeUndefined();
    expect(inputPrice("huggingface", "mistralai/Mistral-7B")).toBeUndefined();
    expect(inputPrice("", "")).toBeUndefined();
  });

  test("a provider is found by any of its names, in any case", () => {
    expect(inputPrice("azureopenai", "gpt-4o")).toBe(4);
    expect(inputPrice("Azure_OpenAI", "GPT-4o")).toBe(4);
    expect(inputPrice("xai", "grok-4")).toBe(5);
    expect(inputPrice("Grok", "grok-4")).toBe(5);
  });
});

test("everything that is wrong in a table is said at once, with its place", () => {
  const wrong = {
    "gpt-4o": { input: 1, output: 1 },
    "a/b": { input: "1" },
    "c/d": 3,
    "e/f": { input: -1, output: 1, tax: 1 },
  };
  expect(() => readPriceTable(JSON.stringify(wrong))).toThrow(
    [
      'Expected provider/model, perhaps with * at its end, got "gpt-4o"',
      "Expected output of a/b, got none",
      'Expected input of a/b to be dollars for a million tokens, 0 or more, got "1"',
      'Expected {"input", "output"} for c/d, got 3',
      "Expected input of e/f to be dollars for a million tokens, 0 or more, got -1",
      "Expected one of input, output, cacheRead, cacheWrite of e/f, got tax",
    ].join("\n"),
  );
  expect(() => readPriceTable("{")).toThrow(/^Expected JSON, got /);
  expect(() => readPriceTable("[]")).toThrow("Expected a JSON object of prices by provider/model");
});
