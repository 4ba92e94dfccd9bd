/** How many tokens models read, by the beginning of their names. */
const windows: readonly (readonly [prefix: string, tokens: number])[] = [
  ["gpt-5.4", 1_050_000],
  ["gpt-5", 400_000],
  ["gpt-4.1", 1_047_576],
  ["o1-mini", 128_000],
  ["o1", 200_000],
  ["o3", 200_000],
  ["o4-mini", 200_000],
  ["gpt-4o", 128_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-3.5-turbo", 16_385],
  ["claude-opus-4-6", 1_000_000],
  ["claude-sonnet-4", 1_000_000],
  ["claude", 200_000],
  ["gemini", 1_048_576],
];

/** The longest prefix counts; undefined for a model nobody knows. */
export function findContextWindow(model: string): number | undefined {
  const name = model.toLowerCase();
  const fitting = windows.filter(([prefix]) => name.startsWith(prefix));
  return fitting.sort(([one], [other]) => other.length - one.length)[0]?.[1];
}
