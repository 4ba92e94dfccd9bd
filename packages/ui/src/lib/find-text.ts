/** Whether every word is somewhere in one of the texts, in any case. */
export function hasWords(query: string, texts: readonly (string | undefined)[]): boolean {
  const all = texts.join("\n").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
