/** What a model that judges a text said about it. */
export function judgeGuardrail(
  { llm_result }: { llm_result?: unknown },
  { name, onFail }: { readonly name: string; readonly onFail: string },
): unknown {
  const verdict = readVerdict(llm_result);
  const passed = verdict?.passed === true;
  return {
    passed,
    message: passed ? "" : verdict === undefined ? "Unparseable LLM response" : String(verdict.reason ?? "Rejected"),
    on_fail: passed ? "pass" : onFail === "fix" ? "raise" : onFail,
    fixed_output: null,
    guardrail_name: name,
    should_continue: false,
  };
}

function readVerdict(answer: unknown): { passed?: unknown; reason?: unknown } | undefined {
  if (typeof answer === "object" && answer !== null) return answer;
  if (typeof answer !== "string") return undefined;
  try {
    const value = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export const judgeGuardrailHelpers = [readVerdict];
