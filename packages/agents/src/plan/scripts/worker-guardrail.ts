type Answer = { readonly [name: string]: unknown };

/** What a guardrail's worker answered, in one of the forms SDKs write. Anything else is a pass. */
export function workerGuardrail(
  { worker_output }: { worker_output?: unknown },
  { name, onFail }: { readonly name: string; readonly onFail: string },
): unknown {
  const answer = readAnswer(worker_output);
  const isTripped = (answer["tripwire_triggered"] ?? answer["tripwireTriggered"]) === true;
  const passed = answer["passed"] !== false && !isTripped;
  const told = answer["on_fail"] ?? answer["onFail"];
  const failing = ["retry", "raise", "fix", "human"].includes(String(told)) ? told : onFail;
  return {
    passed,
    message: passed ? "" : String(answer["message"] ?? tripwireReason(answer) ?? name.concat(" triggered")),
    on_fail: passed ? "pass" : failing,
    fixed_output: answer["fixed_output"] ?? answer["fixedOutput"] ?? null,
    guardrail_name: name,
    should_continue: false,
  };
}

function readAnswer(output: unknown): Answer {
  if (typeof output !== "object" || output === null) return {};
  const { result } = output as { result?: unknown };
  return typeof result === "object" && result !== null ? (result as Answer) : (output as Answer);
}

function tripwireReason(answer: Answer): unknown {
  const info = answer["output_info"] ?? answer["outputInfo"];
  if (typeof info === "string") return info;
  return typeof info === "object" && info !== null ? (info as { reason?: unknown }).reason : undefined;
}

export const workerGuardrailHelpers = [readAnswer, tripwireReason];
