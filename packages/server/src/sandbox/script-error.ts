export type Thrown = {
  /** "TypeError: …", or the text of what was thrown. */
  readonly text: string;
  /** Not known of what is thrown by the engine itself. */
  readonly place?: {
    readonly source: string;
    readonly stack: string;
    /** Characters put before the source on its first line. */
    readonly columnShift: number;
  };
};

/** The name under which scripts are compiled, so that their frames can be told from built-ins and from `eval`. */
export const scriptName = "script";

/** "Error evaluating the script `TypeError: …` at line 1"; without a line when nothing in the stack is the script. */
export function evaluationError(thrown: Thrown): string {
  return `Error evaluating the script \`${inCommonWording(thrown)}\`${lineOf(thrown)}`;
}

/** "SyntaxError: … at line 1", from the parser. */
export function syntaxError(thrown: Thrown): string {
  return `${inCommonWording(thrown)}${lineOf(thrown)}`;
}

function lineOf(thrown: Thrown): string {
  const { place } = thrown;
  if (place === undefined || isOwnError(thrown)) return "";
  const line =
    place.stack === ""
      ? lineOfThrow(place.source)
      : /\bscript:(\d+)(?::\d+)?\)?$/m.exec(place.stack.slice(0, longestText))?.[1];
  return line === undefined ? "" : ` at line ${line}`;
}

/** An error that a script of one line made itself: the interface gives no line then, and there is nothing to look for. */
const isOwnError = (thrown: Thrown): boolean =>
  thrown.place?.source.includes("\n") === false && calleeOf(thrown)?.name.endsWith("Error") === true;

/** What is not an error has no stack: its line is known where only one can be meant. */
function lineOfThrow(source: string): number | undefined {
  const lines = source.split("\n");
  if (lines.length === 1) return 1;
  const throwing = lines.flatMap((line, index) => (/\bthrow\b/.test(line) ? [index + 1] : []));
  return throwing.length === 1 ? throwing[0] : undefined;
}

// A script can throw megabytes; what it throws ends up in tasks, logs and answers.
const longestText = 10_000;

// What people search for is the wording of the engines they know; QuickJS has its own for the everyday mistakes.
const wordings: readonly (readonly [RegExp, string])[] = [
  [/^(?:InternalError|SyntaxError): stack overflow$/, "RangeError: Maximum call stack size exceeded"],
  [/^InternalError: string too long$/, "RangeError: Invalid string length"],
  [/^ReferenceError: '(.+)' is not defined$/, "ReferenceError: $1 is not defined"],
  [/^ReferenceError: (\S+) is not initialized$/, "ReferenceError: Cannot access '$1' before initialization"],
  [/^TypeError: circular reference$/, "TypeError: Converting circular structure to JSON"],
  [/^TypeError: cannot convert to object$/, "TypeError: Cannot convert undefined or null to object"],
  [/^(\w*Error): cannot /, "$1: Cannot "],
  [/^SyntaxError: unexpected /, "SyntaxError: Unexpected "],
  [/^SyntaxError: expecting /, "SyntaxError: Expecting "],
  [/^SyntaxError: invalid /, "SyntaxError: Invalid "],
];

function inCommonWording(thrown: Thrown): string {
  const text = thrown.text.length > longestText ? `${thrown.text.slice(0, longestText)}…` : thrown.text;
  if (text === "TypeError: not a function" || text === "TypeError: not a constructor") {
    return calleeWording(thrown) ?? text;
  }
  for (const [pattern, wording] of wordings) {
    if (pattern.test(text)) {
      return text.replace(pattern, wording);
    }
  }
  return text;
}

function calleeWording(thrown: Thrown): string | undefined {
  const callee = calleeOf(thrown);
  return callee === undefined
    ? undefined
    : `TypeError: ${callee.name} is not a ${callee.isNew ? "constructor" : "function"}`;
}

/** The dotted path before the parenthesis of the topmost call in the stack: QuickJS gives the place, not the name. */
function calleeOf({ place }: Thrown): { readonly name: string; readonly isNew: boolean } | undefined {
  if (place === undefined) {
    return undefined;
  }
  const [frame = ""] = place.stack.split("\n", 1);
  const found = /\bscript:(\d+):(\d+)\)?$/.exec(frame);
  const line = Number(found?.[1]);
  const column = Number(found?.[2]) - 1 - (line === 1 ? place.columnShift : 0);
  const before = place.source.split("\n")[line - 1]?.slice(Math.max(column - 100, 0), Math.max(column, 0)) ?? "";
  const call = /(new\s+)?([\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)*)$/u.exec(before);
  return call === null ? undefined : { name: call[2] ?? "", isNew: call[1] !== undefined };
}
