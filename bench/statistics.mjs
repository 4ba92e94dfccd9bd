/** Median of some numbers; undefined of none. */
export function median(numbers) {
  if (numbers.length === 0) return undefined;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Count, quantiles and mean of some latencies in milliseconds; null of none. */
export function quantiles(numbers) {
  if (numbers.length === 0) return null;
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  return {
    count: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: round(sorted.at(-1)),
    mean: round(mean(sorted)),
  };
}

/** Mean of the last tenth over that of the first: how much dearer work has become; null below 20 numbers. */
export function growthOf(numbers) {
  const tenth = Math.floor(numbers.length / 10);
  if (tenth < 2) return null;
  return round(mean(numbers.slice(-tenth)) / Math.max(0.01, mean(numbers.slice(0, tenth))));
}

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const round = (number) => Math.round(number * 100) / 100;
