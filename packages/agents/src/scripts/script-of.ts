/** Functions that a script function is handed beside its data. */
export type Parts = { readonly [name: string]: (input: never) => unknown };

/** A function that a script function calls by its name. */
export type Helper = (...data: never[]) => unknown;

/**
 * A script function as the text of a script: the function itself, applied to the script's `$`, to what the compiler
 * knows, and to other functions it is handed. Functions that are embedded use nothing from outside themselves but the
 * helpers that go along.
 */
export function scriptOf<Input, Known>(
  run: (input: Input, known: Known, parts: never) => unknown,
  known?: Known,
  parts?: Parts,
  helpers: readonly Helper[] = [],
): string {
  const functions = Object.entries(parts ?? {}).map(([name, part]) => `${JSON.stringify(name)}: ${textOf(part)}`);
  const given = [
    "$",
    ...(known === undefined ? [] : [JSON.stringify(known)]),
    ...(functions.length === 0 ? [] : [`{ ${functions.join(", ")} }`]),
  ];
  return [...helpers.map(textOf), `(${textOf(run)})(${given.join(", ")})`].join("\n");
}

/**
 * The text of a function without its comments, indentation and the gaps where its types were: a task stores its script
 * with every run.
 */
function textOf(run: { toString: () => string }): string {
  return run
    .toString()
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/[ \t]{2,}/g, " ")
    .replace(/\n\s*/g, "\n");
}

/** Text that the engine hands on as it stands: an expression in it stays text. */
export const escapeExpressions = (text: string): string => text.replaceAll("${", () => "$${");
