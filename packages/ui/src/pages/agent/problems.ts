import { ApiError } from "../../api/client.ts";
import type { Steps } from "../../editing/json-places.ts";
import type { TextProblem } from "../../editing/schema-editor.tsx";

/** What the server says is wrong with an agent, with the steps to where it says so. */
export function toAgentProblems(error: unknown): readonly TextProblem[] {
  if (!(error instanceof ApiError)) throw error;
  const place = /\b(?:agentConfig|rawConfig)((?:\.[\w$]+|\[[^\]]*\])+)/.exec(error.message)?.[1] ?? "";
  const message = error.message.replace(/\b(?:agentConfig|rawConfig)\./, "");
  return [{ message, steps: stepsIn(place) }];
}

/** `.tools[1].name`, in steps. */
const stepsIn = (place: string): Steps =>
  [...place.matchAll(/\.([\w$]+)|\[([^\]]*)\]/g)].map(([, name, index]) => name ?? index ?? "");
