/** A model's answer as the object it stands for, or `{_plan_error}`. */
export function parseAnswer({ llmOut }: { llmOut?: unknown }): unknown {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject(llmOut)) return llmOut;
  if (typeof llmOut !== "string") return { _plan_error: "the answer is empty" };
  // Models like to put JSON into a fence, or a sentence before it.
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(llmOut);
  const braced = llmOut.slice(llmOut.indexOf("{"), llmOut.lastIndexOf("}") + 1);
  for (const text of [llmOut, fenced?.[1] ?? "", braced]) {
    try {
      const value = JSON.parse(text);
      if (isObject(value)) return value;
    } catch {
      // The next form may be the one.
    }
  }
  return { _plan_error: "the answer is not a JSON object" };
}
