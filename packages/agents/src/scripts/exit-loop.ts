import type { Json } from "@downbeat/engine";
import type { Maybe, ToolCall } from "./values.ts";

type Turn = { readonly toolCalls: Maybe<readonly ToolCall[]>; readonly result: Maybe<Json> };

/** Whether the agent's last turn ended the loop around it. Its answer is then no answer: it is the call itself. */
export function exitCheck(
  { toolCalls, result }: Turn,
  known: { readonly tools: readonly string[] },
): { readonly exits: boolean; readonly result: Json } {
  const exits = (toolCalls ?? []).some(({ name = "" }) => known.tools.includes(name));
  return { exits, result: exits ? "" : (result ?? "") };
}

/** Whether one of a team ended the loop around it. */
export const anyExit = (input: { readonly [step: string]: Maybe<boolean> }): boolean =>
  Object.values(input).some((exits) => exits === true);

type Said = { readonly result: Json; readonly finishReason: Json; readonly rejectionReason: Json };

type Step = { readonly [field in keyof Said]: Maybe<Json> } & {
  readonly exits: Maybe<boolean>;
  readonly before: Maybe<Partial<Said>>;
};

/** What a loop over agents has come to: what its last agent said, or the one before, when that only ended the loop. */
export function lastSaid(step: Step): Said & { readonly decision: "continue" | "exit" } {
  const exits = step.exits === true;
  const isSilent = step.result === null || step.result === undefined || step.result === "";
  return {
    result: exits && isSilent ? (step.before?.result ?? "") : (step.result ?? null),
    finishReason: exits ? "STOP" : (step.finishReason ?? null),
    rejectionReason: step.rejectionReason ?? null,
    decision: exits ? "exit" : "continue",
  };
}
