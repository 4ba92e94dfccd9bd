/** The power of two of a finite number: 2^e <= |x| < 2^(e+1). */
export function exponentOf(x: number): number {
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Number.POSITIVE_INFINITY;
  const size = Math.abs(x);
  let exponent = Math.max(-1074, Math.floor(Math.log2(size)));
  // log2 rounds: just below a power of two it may give that power.
  if (scaled(1, exponent) > size) exponent -= 1;
  else if (exponent < 1023 && scaled(1, exponent + 1) <= size) exponent += 1;
  return exponent;
}

const scaled = (x: number, exponent: number): number => x * 2 ** exponent;

export function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Lanczos approximation with g = 7 and nine terms; about 15 digits. */
const coefficients = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

export function gamma(x: number): number {
  if (Number.isInteger(x) && x > 0 && x <= 23) return factorial(x - 1);
  if (x < 0.5) return Number.isInteger(x) ? poleOfGamma(x) : Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return Number.POSITIVE_INFINITY;
  const { series, base } = lanczos(x);
  // The power is taken in halves: at once it would overflow before the exponential brings it back.
  const half = base ** ((x - 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * half * Math.exp(-base) * half * series;
}

export function logGamma(x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Number.POSITIVE_INFINITY;
  if (x === 1 || x === 2) return 0;
  if (x < 0.5) {
    if (Number.isInteger(x)) return Number.POSITIVE_INFINITY;
    return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  }
  const { series, base } = lanczos(x);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}

function lanczos(x: number): { series: number; base: number } {
  const series = coefficients.reduce((sum, c, i) => (i === 0 ? c : sum + c / (x - 1 + i)), 0);
  return { series, base: x + 6.5 };
}

const poleOfGamma = (x: number): number => (x === 0 ? 1 / x : Number.NaN);

function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}
