/** What the operations of a parallel step gave, in the order of the plan: `b0` is a result, `o0` the whole output. */
export function collectBranches(input: { count: number; [branch: string]: unknown }): unknown[] {
  return Array.from({ length: input.count }, (_, i) => input[`b${i}`] ?? input[`o${i}`] ?? null);
}
