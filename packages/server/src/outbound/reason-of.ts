/** What an error says, with what lies under it: clients of brokers wrap the word that matters several times. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error.cause];
  const message = error.message === "" ? error.name : error.message.replace(/\.$/, "");
  if (!(first instanceof Error)) return message;
  const under = reasonOf(first);
  return under.includes(message) ? under : `${message}: ${under}`;
}
