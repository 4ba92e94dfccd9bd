import type { ModelCall, RunUsage } from "../../api/agents.ts";
import { formatCount, formatDollars } from "../../lib/format.ts";

/** Tokens of the run and of all runs inside it, and what they cost. */
export function UsageLine({ usage }: { readonly usage: RunUsage }) {
  const { promptTokens, completionTokens, totalTokens, cost, unpricedModels = [] } = usage;
  if (totalTokens === 0) return null;
  return (
    <p className="text-right text-xs text-faint tabular-nums">
      {formatCount(totalTokens)} tokens: {formatCount(promptTokens)} asked, {formatCount(completionTokens)} answered
      {cost !== undefined && ` · ${unpricedModels.length > 0 ? "at least " : ""}${formatDollars(cost)}`}
      {unpricedModels.length > 0 && (
        <span title="Give it in the server's setting service.ai.prices">
          {" · "}no price known for {unpricedModels.join(", ")}
        </span>
      )}
    </p>
  );
}

/** What one call of a model cost, in words. */
export const costWords = ({ cost, model }: ModelCall): string =>
  cost === undefined ? `no price known for ${model}` : formatDollars(cost);
