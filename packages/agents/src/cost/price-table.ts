import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { priceProvider } from "./provider-names.ts";

/** US dollars for a million tokens. */
export type Price = {
  readonly input: number;
  readonly output: number;
  /** Of tokens that the provider had in its cache, and of those it put there; as input when left out. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

type PricePattern = {
  readonly provider: string;
  readonly model: string;
  readonly isPrefix: boolean;
  readonly price: Price;
};

/** Prices by `provider/model`, as an operator writes them. */
export class PriceTable {
  /** The most exact ones first. */
  readonly #patterns: readonly PricePattern[];

  constructor(patterns: readonly PricePattern[]) {
    this.#patterns = patterns.toSorted(
      (a, b) => Number(a.isPrefix) - Number(b.isPrefix) || b.model.length - a.model.length,
    );
  }

  find(provider: string, model: string): Price | undefined {
    const by = priceProvider(provider);
    const wanted = model.trim().toLowerCase();
    const fits = ({ provider: other, model: name, isPrefix }: PricePattern) =>
      other === by && (isPrefix ? wanted.startsWith(name) : wanted === name);
    return this.#patterns.find(fits)?.price;
  }
}

/** Reads a table of prices. Throws with every problem it has, one a line. */
export function readPriceTable(text: string): PriceTable {
  const table = parse(text);
  const problems: string[] = [];
  const patterns = Object.entries(table).flatMap(([name, value]) => {
    const found = problemsOf(name, value);
    problems.push(...found);
    return found.length > 0 ? [] : [patternOf(name, value as Price)];
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return new PriceTable(patterns);
}

function parse(text: string): JsonObject {
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch (cause) {
    throw new Error(`Expected JSON, got ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!isJsonObject(table)) throw new Error("Expected a JSON object of prices by provider/model");
  return table;
}

const fields = ["input", "output", "cacheRead", "cacheWrite"];
const NAME = /^[^/\s]+\/[^\s*]*\*?$/;

function problemsOf(name: string, value: Json): string[] {
  const problems: string[] = [];
  if (!NAME.test(name) || name.endsWith("/")) {
    problems.push(`Expected provider/model, perhaps with * at its end, got "${name}"`);
  }
  if (!isJsonObject(value))
    return [...problems, `Expected {"input", "output"} for ${name}, got ${JSON.stringify(value)}`];
  for (const field of ["input", "output"]) {
    if (!Object.hasOwn(value, field)) problems.push(`Expected ${field} of ${name}, got none`);
  }
  for (const [field, amount] of Object.entries(value)) {
    if (!fields.includes(field)) problems.push(`Expected one of ${fields.join(", ")} of ${name}, got ${field}`);
    else if (typeof amount !== "number" || amount < 0) {
      problems.push(
        `Expected ${field} of ${name} to be dollars for a million tokens, 0 or more, got ${JSON.stringify(amount)}`,
      );
    }
  }
  return problems;
}

function patternOf(name: string, price: Price): PricePattern {
  const slash = name.indexOf("/");
  const model = name.slice(slash + 1).toLowerCase();
  const isPrefix = model.endsWith("*");
  return {
    provider: priceProvider(name.slice(0, slash)),
    model: isPrefix ? model.slice(0, -1) : model,
    isPrefix,
    price,
  };
}
