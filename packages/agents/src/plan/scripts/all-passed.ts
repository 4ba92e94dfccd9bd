/** `passed` when every validator said so. */
export function allPassed(input: { count: number; [verdict: string]: unknown }): "passed" | "failed" {
  const verdicts = Array.from({ length: input.count }, (_, i) => input[`v${i}`] as { passed?: unknown } | undefined);
  return verdicts.every((verdict) => verdict?.passed === true) ? "passed" : "failed";
}
