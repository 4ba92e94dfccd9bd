/** A condition on a validator's output, read beforehand: what it says is looked up and compared, never run. */
export type Condition =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "path"; readonly path: readonly (string | number)[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "compare"; readonly operator: string; readonly left: Condition; readonly right: Condition };

type Constants = { readonly condition: Condition | null; readonly answer: "word" | "object" };

/** Whether a validator is content: `passed` or `failed`, or `{passed}` when it is one of several. */
export function validationVerdict(
  { toolOut, fullOutput }: { toolOut?: unknown; fullOutput?: unknown },
  { condition, answer }: Constants,
): unknown {
  const isEmpty = typeof fullOutput === "object" && fullOutput !== null && Object.keys(fullOutput).length === 0;
  const output = toolOut ?? (isEmpty ? null : fullOutput) ?? null;
  const passed = condition === null ? isContent(output) : Boolean(evaluate(condition, output));
  if (answer === "object") return { passed };
  return passed ? "passed" : "failed";
}

/** Without a condition a validator objects by giving nothing, `{passed: false}`, or a text with ERROR in it. */
function isContent(output: unknown): boolean {
  if (output === null) return false;
  if (typeof output === "string") return !output.includes("ERROR");
  return typeof output !== "object" || (output as { passed?: unknown }).passed !== false;
}

function evaluate(condition: Condition, output: unknown): unknown {
  switch (condition.kind) {
    case "value":
      return condition.value;
    case "path":
      return readPath(output, condition.path);
    case "not":
      return !evaluate(condition.of, output);
    case "and":
      return evaluate(condition.left, output) && evaluate(condition.right, output);
    case "or":
      return evaluate(condition.left, output) || evaluate(condition.right, output);
    case "compare":
      return compare(condition.operator, evaluate(condition.left, output), evaluate(condition.right, output));
  }
}

/** Own members only: nothing that every object inherits can be reached. */
function readPath(output: unknown, path: readonly (string | number)[]): unknown {
  let value = output;
  for (const name of path) {
    if (value === null || value === undefined || !Object.hasOwn(Object(value), name)) return undefined;
    value = (value as { [name: string]: unknown })[name];
  }
  return value;
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  switch (operator) {
    case "===":
      return left === right;
    case "!==":
      return left !== right;
    case "==":
      return isLike(left, right);
    case "!=":
      return !isLike(left, right);
    case "<":
      return order(left, right) < 0;
    case "<=":
      return order(left, right) <= 0;
    case ">":
      return order(left, right) > 0;
    default:
      return order(left, right) >= 0;
  }
}

/** Equal, both absent, or a number and the text or truth value that means it. */
function isLike(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || left === undefined || right === null || right === undefined) {
    return (left ?? null) === (right ?? null);
  }
  if (typeof left === typeof right || typeof left === "object" || typeof right === "object") return false;
  return Number(left) === Number(right);
}

/** Below zero, zero or above; not a number for what has no order. Two texts are compared as texts, else as numbers. */
function order(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  const isScalar = (value: unknown) => typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return isScalar(left) && isScalar(right) ? Number(left) - Number(right) : Number.NaN;
}

export const validationVerdictHelpers = [isContent, evaluate, readPath, compare, isLike, order];
