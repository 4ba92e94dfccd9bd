/** The case of the gate before a tool whose arguments a model wrote. */
export function argumentsVerdict({ parsed }: { parsed?: unknown }): "ok" | "rejected" {
  return typeof parsed === "object" && parsed !== null && !("_plan_error" in parsed) ? "ok" : "rejected";
}
