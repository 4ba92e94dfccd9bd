/** Numbers that look random and come again with the same seed. */
export type Random = {
  /** From `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number;
  readonly isOneIn: (n: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    isOneIn: (n) => between(1, n) === 1,
    pick(list) {
      const picked = list[between(0, list.length - 1)];
      if (picked === undefined) throw new Error("Expected something to pick from, got an empty list");
      return picked;
    },
  };
}
