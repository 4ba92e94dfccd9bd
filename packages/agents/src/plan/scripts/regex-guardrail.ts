type Constants = {
  readonly name: string;
  readonly patterns: readonly string[];
  readonly mode: string;
  readonly message: string;
  readonly onFail: string;
};

/** A text against patterns that it must not match (mode block), or one of which it must match (mode allow). */
export function regexGuardrail({ content }: { content?: unknown }, constants: Constants): unknown {
  const { name, patterns, mode, message, onFail } = constants;
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  const isMatch = patterns.some((pattern) => matches(text, pattern));
  const passed = mode === "allow" ? isMatch : !isMatch;
  return {
    passed,
    message: passed ? "" : message,
    // A pattern knows no better text: what it cannot mend it refuses.
    on_fail: passed ? "pass" : onFail === "fix" ? "raise" : onFail,
    fixed_output: null,
    guardrail_name: name,
    should_continue: false,
  };
}

/** Flags at the beginning, as other languages write them, are taken over: `(?i)drop`. */
function matches(text: string, pattern: string): boolean {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const source = flags === null ? pattern : pattern.slice(flags[0].length);
  return new RegExp(source, flags?.[1] ?? "").test(text);
}

export const regexGuardrailHelpers = [matches];
