import type { Maybe } from "./values.ts";

type Input = { readonly iteration: Maybe<number>; readonly last_agent?: Maybe<string> };

type Known = {
  readonly count: number;
  readonly order: "round_robin" | "random";
  /** For each agent the indexes of those that may follow it. */
  readonly next?: readonly (readonly number[])[];
};

/** The index of the agent whose turn it is, as text. The first agent speaks first. */
export function selectAgent(input: Input, known: Known): string {
  const turn = Math.max((input.iteration ?? 1) - 1, 0);
  const all = Array.from({ length: known.count }, (_none, index) => index);
  const last = Number(input.last_agent ?? 0);
  const isFirstTurn = turn === 0 && known.order === "round_robin";
  const allowed = known.next === undefined || isFirstTurn ? all : (known.next[last] ?? []);
  const candidates = allowed.length === 0 ? all : allowed;
  if (known.order === "random") return String(candidates[Math.floor(Math.random() * candidates.length)] ?? 0);
  if (candidates.length === known.count) return String(turn % known.count);
  // The next one in turn that may follow: the first allowed index after the last speaker, going round.
  const after = candidates.find((index) => index > last);
  return String(after ?? candidates[0] ?? 0);
}
