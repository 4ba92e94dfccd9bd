/** The first answer that is not undefined, for what takes longer than the usual waits. */
export async function waitFor<T>(look: () => Promise<T | undefined>, deadlineMs: number): Promise<T> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`Expected it within ${deadlineMs} ms, and it did not come`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
