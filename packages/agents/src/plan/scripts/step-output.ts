/** What a step gave: the `result` of its last tool, or all of its output when there is none. */
export function stepOutput({ simpleResult, fullOutput }: { simpleResult?: unknown; fullOutput?: unknown }): unknown {
  return simpleResult ?? fullOutput ?? null;
}
