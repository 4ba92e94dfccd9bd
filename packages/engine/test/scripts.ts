import type { JqOutcome, Json, ScriptOutcome } from "../src/index.ts";
import { isJsonObject } from "../src/index.ts";

/** Runs a script in this process: tests write their own scripts, so there is nothing to guard against. */
export function evaluateScript(source: string, inputText: string): ScriptOutcome {
  try {
    const evaluate = new Function("$", "source", "return eval(source)") as ($: unknown, source: string) => unknown;
    const value = evaluate(JSON.parse(inputText), source);
    return { kind: "value", text: JSON.stringify(value ?? null) };
  } catch (error) {
    return { kind: "error", message: `Error evaluating the script \`${String(error)}\` at line 1` };
  }
}

/** Enough of jq for the engine's tests, which are about the task and not about the language: `.`, `.a.b`, `empty`. */
export function runJq(program: string, input: Json): JqOutcome {
  if (program === "empty") return { kind: "value", results: [] };
  if (!/^\.[\w.]*$/.test(program)) return { kind: "error", message: `Cannot parse ${program}` };
  let value: Json = input;
  for (const name of program.split(".").filter((part) => part !== "")) {
    if (value === null) continue;
    if (!isJsonObject(value)) return { kind: "error", message: `Cannot index ${typeof value} with string "${name}"` };
    value = value[name] ?? null;
  }
  return { kind: "value", results: [value] };
}
