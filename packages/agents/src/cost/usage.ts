import type { ModelCall, Tokens } from "./model-call.ts";
import type { CostOf } from "./model-costs.ts";

/** Money, where the price is known. */
export type Cost = { readonly cost?: number; readonly costCurrency?: "USD" };

/** Tokens of the models of a run, and what they cost. */
export type Usage = Tokens & Cost & { readonly unpricedModels?: readonly string[] };

/** Calls added up. What no price is known for is named, not counted as nothing. */
export class UsageSum {
  readonly #costOf: CostOf;
  readonly #unpriced = new Set<string>();
  #tokens: Tokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  #cost = 0;
  #isPriced = false;

  constructor(costOf: CostOf) {
    this.#costOf = costOf;
  }

  add(call: ModelCall): void {
    const { promptTokens, completionTokens, totalTokens } = this.#tokens;
    this.#tokens = {
      promptTokens: promptTokens + call.promptTokens,
      completionTokens: completionTokens + call.completionTokens,
      totalTokens: totalTokens + call.totalTokens,
    };
    // Where nothing was used, as in a call that failed, there is nothing to price.
    if (call.totalTokens === 0) return;
    const cost = this.#costOf(call);
    if (cost === undefined) {
      this.#unpriced.add(modelName(call));
      return;
    }
    this.#cost += cost;
    this.#isPriced = true;
  }

  get usage(): Usage {
    return {
      ...this.#tokens,
      ...(this.#isPriced ? money(this.#cost) : {}),
      ...(this.#unpriced.size === 0 ? {} : { unpricedModels: [...this.#unpriced].sort() }),
    };
  }
}

/** What one call cost; nothing where that is not known, or nothing was used. */
export function costOfCall(call: ModelCall, costOf: CostOf): Cost {
  const cost = call.totalTokens === 0 ? undefined : costOf(call);
  return cost === undefined ? {} : money(cost);
}

export const modelName = ({ provider, model }: Pick<ModelCall, "provider" | "model">): string => `${provider}/${model}`;

/** Without the dust of binary fractions. */
const money = (cost: number): Cost => ({ cost: Number(cost.toFixed(10)), costCurrency: "USD" });
