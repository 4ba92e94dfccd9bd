import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderConfigDocs } from "./config-docs.ts";

test("docs/configuration.md is what the table of settings says", () => {
  const committed = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
  expect(committed).toBe(renderConfigDocs());
});
