import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/**
 * A coordinator's answer as the name of one agent, or DONE. Models wrap the name in quotes and sentences; a name that
 * stands in it alone is taken, several of them are no decision.
 */
export function normalizeRoute(
  input: { readonly raw: Maybe<Json>; readonly selected?: Maybe<Json> },
  known: { readonly agents: readonly string[] },
): string {
  const answer = input.raw ?? input.selected;
  const text =
    answer === null || answer === undefined ? "" : typeof answer === "object" ? JSON.stringify(answer) : String(answer);
  const bare = text.trim().replace(/^[^\w]+|[^\w]+$/g, "");
  const exact = known.agents.find((name) => name.toLowerCase() === bare.toLowerCase());
  if (exact !== undefined) return exact;
  if (bare.toLowerCase() === "done") return "DONE";
  let rest = text.toLowerCase();
  const found: string[] = [];
  // Longest first, and what was matched is covered: "dev" is not found again in "dev_lead".
  for (const name of [...known.agents].sort((one, other) => other.length - one.length)) {
    const escaped = name.toLowerCase().replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
    const word = new RegExp(`(^|[^\\w-])${escaped}(?![\\w-])`, "g");
    if (!word.test(rest)) continue;
    found.push(name);
    rest = rest.replace(word, "$1 ");
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? only : "DONE";
}

/** A conversation with the coordinator's decision noted in it. */
export function annotateRoute(input: { readonly prev: Maybe<string>; readonly decision: Maybe<string> }): string {
  const { prev, decision } = input;
  return decision === "DONE" ? (prev ?? "") : `${prev ?? ""}\n\n[coordinator -> ${decision ?? ""}]`;
}

/** For the case that has nothing to do. */
export function nothing(): null {
  return null;
}
