/**
 * A script function as the text of a script: the function itself, applied to the script's `$` and to what the compiler
 * knows. Functions that are embedded use nothing from outside themselves, for that is all of them that goes along.
 */
export function scriptOf<Input, Known>(run: (input: Input, known: Known) => unknown, known?: Known): string {
  const source = run.toString();
  return known === undefined ? `(${source})($)` : `(${source})($, ${JSON.stringify(known)})`;
}

/** Text that the engine hands on as it stands: an expression in it stays text. */
export const escapeExpressions = (text: string): string => text.replaceAll("${", () => "$${");
