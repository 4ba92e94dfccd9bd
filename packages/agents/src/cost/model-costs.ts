import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject } from "@downbeat/engine";
import { type Config, ConfigError } from "@downbeat/server";
import { type KnownPrices, loadKnownPrices } from "./known-prices.ts";
import type { ModelCall } from "./model-call.ts";
import { type Price, PriceTable, readPriceTable } from "./price-table.ts";

/** US dollars of a call; undefined when nobody knows the price of its model. */
export type CostOf = (call: ModelCall) => number | undefined;

const SETTING = "service.ai.prices";
const MILLION = 1_000_000;

/** What calls of models cost: by the operator's own prices first, then by those that are publicly known. */
export class ModelCosts {
  readonly #own: PriceTable;
  readonly #instances: ReadonlyMap<string, string>;
  #known: Promise<KnownPrices> | undefined;

  /** Throws ConfigError. */
  constructor(config: Config) {
    this.#own = ownPrices(config[SETTING].trim());
    this.#instances = readInstances(config["service.ai.instances"]);
  }

  /** The list of known prices is large: it is loaded when somebody first asks what something cost. */
  async load(): Promise<CostOf> {
    this.#known ??= loadKnownPrices();
    const known = await this.#known;
    return (call) => {
      if (call.totalTokens === 0) return 0;
      const own = this.#own.find(call.provider, call.model);
      if (own !== undefined) return costBy(own, call);
      const provider = this.#instances.get(call.provider.toLowerCase());
      const meant = provider === undefined ? call : { ...call, provider };
      const ofKind = provider === undefined ? undefined : this.#own.find(provider, call.model);
      return ofKind === undefined ? known(meant) : costBy(ofKind, call);
    };
  }
}

function costBy({ input, output, cacheRead = input, cacheWrite = input }: Price, call: ModelCall): number {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens } = call;
  const fresh = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  const sum = fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + completionTokens * output;
  return sum / MILLION;
}

/** The setting is the table itself, or the file it is in. */
function ownPrices(setting: string): PriceTable {
  if (setting === "") return new PriceTable([]);
  const isTable = setting.startsWith("{");
  const place = isTable ? SETTING : `${SETTING}, the file ${resolve(setting)},`;
  try {
    return readPriceTable(isTable ? setting : readFileSync(setting, "utf8"));
  } catch (cause) {
    const reasons = cause instanceof Error ? cause.message.split("\n") : [String(cause)];
    throw new ConfigError(
      reasons.map((reason) => `${place} is no table of prices: ${reason}`),
      { cause },
    );
  }
}

/** Providers under a name of their own, and which provider each is. What is wrong in there is told by who uses them. */
function readInstances(text: string): ReadonlyMap<string, string> {
  let list: unknown;
  try {
    list = JSON.parse(text.trim() || "[]");
  } catch {
    // Said at the start, without the text: it holds keys.
    list = [];
  }
  const named = (Array.isArray(list) ? list : []).flatMap((item): [string, string][] => {
    if (!isJsonObject(item)) return [];
    const { name, provider } = item;
    return typeof name === "string" && typeof provider === "string" ? [[name.trim().toLowerCase(), provider]] : [];
  });
  return new Map(named);
}
