/** What a human said about a tool call: `approved` only when the answer says so plainly. */
export function approvalVerdict({ answer }: { answer?: unknown }): { decision: string; reason: string } {
  const given = typeof answer === "object" && answer !== null ? (answer as { [name: string]: unknown }) : {};
  const word = String(given["approved"] ?? "")
    .trim()
    .toLowerCase();
  const isApproved = ["true", "yes", "y"].includes(word);
  const reason = typeof given["reason"] === "string" && given["reason"] !== "" ? given["reason"] : "no reason given";
  return { decision: isApproved ? "approved" : "rejected", reason };
}
