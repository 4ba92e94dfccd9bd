import { InvalidAgent } from "../invalid-agent.ts";

export type ModelName = { readonly provider: string; readonly model: string };

/** Splits `provider/model` at the first slash: a model's own name may hold more of them. */
export function parseModel(text: string | undefined): ModelName {
  if (text === undefined || text.trim() === "") throw new InvalidAgent("Model string cannot be null or empty");
  const slash = text.indexOf("/");
  const provider = text.slice(0, Math.max(slash, 0)).trim();
  const model = text.slice(slash + 1).trim();
  if (slash === -1 || provider === "" || model === "") {
    throw new InvalidAgent(`Invalid model format: '${text}'. Expected provider/model`);
  }
  return { provider, model };
}
