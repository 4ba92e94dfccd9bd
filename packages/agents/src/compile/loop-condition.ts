/**
 * Conditions of loops. They name every path they read, and no more: the engine then fetches just that, so a condition
 * costs the same in turn 200 as in turn 1.
 */

export const isBelow = (loop: string, turns: number): string => `$.${loop}.iteration < ${turns}`;
export const isNotStopped = "$._stop_requested !== true";
export const wasCutOff = (llm: string): string =>
  `$.${llm}?.finishReason === 'LENGTH' || $.${llm}?.finishReason === 'MAX_TOKENS'`;
export const callsTools = (llm: string): string => `($.${llm}?.toolCalls || []).length > 0`;
export const wantsRetry = (verdict: string): string => `$.${verdict}?.result?.should_continue === true`;
export const saysContinue = (worker: string): string => `$.${worker}?.should_continue === true`;

/** None of the calls of this turn is one of these tools. */
export const callsNoneOf = (llm: string, tools: readonly string[]): string =>
  `!($.${llm}?.toolCalls || []).some((call) => ${JSON.stringify(tools)}.includes(call.name))`;

export const all = (...conditions: readonly string[]): string => conditions.map((one) => `(${one})`).join(" && ");
export const any = (...conditions: readonly string[]): string => conditions.join(" || ");
