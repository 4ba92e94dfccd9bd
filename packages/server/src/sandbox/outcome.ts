export type ScriptOutcome =
  /** JSON text of the result; `null` for undefined. */
  | { readonly kind: "value"; readonly text: string }
  /** The whole text, such as "Error evaluating the script `TypeError: …` at line 1". */
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "timeout"; readonly message: string };

export function timeoutMessage(timeoutMs: number): string {
  return `Script not evaluated within ${timeoutMs / 1000} seconds, interrupted.`;
}
