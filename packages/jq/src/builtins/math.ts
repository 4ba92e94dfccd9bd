import { JqError } from "../errors.ts";
import { describe } from "../tojson.ts";
import { exponentOf, gamma, logGamma, roundHalfEven } from "./math-functions.ts";
import { type Native, type Natives, value0, value2, value3 } from "./native.ts";
import { requireNumber } from "./selection.ts";

/** The C library functions jq offers, without the Bessel functions. */
export const mathBuiltins: Natives = {
  "infinite/0": value0(() => Number.POSITIVE_INFINITY),
  "nan/0": value0(() => Number.NaN),
  "abs/0": value0((input) => {
    if (typeof input === "number") return input < 0 ? -input : input;
    if (typeof input === "string") return input;
    throw new JqError(`${describe(input)} has no absolute value`);
  }),
  ...unary({
    acos: Math.acos,
    acosh: Math.acosh,
    asin: Math.asin,
    asinh: Math.asinh,
    atan: Math.atan,
    atanh: Math.atanh,
    cbrt: Math.cbrt,
    ceil: Math.ceil,
    cos: Math.cos,
    cosh: Math.cosh,
    exp: Math.exp,
    exp10: (x) => 10 ** x,
    exp2: (x) => 2 ** x,
    expm1: Math.expm1,
    fabs: Math.abs,
    floor: Math.floor,
    gamma: logGamma,
    lgamma: logGamma,
    lgamma_r: (x) => [logGamma(x), gamma(x) < 0 ? -1 : 1],
    log: Math.log,
    log10: Math.log10,
    log1p: Math.log1p,
    log2: Math.log2,
    logb: (x) => exponentOf(x),
    modf: (x) => (Number.isFinite(x) ? [x - Math.trunc(x), Math.trunc(x)] : [Number.isNaN(x) ? x : 0, x]),
    frexp,
    nearbyint: roundHalfEven,
    pow10: (x) => 10 ** x,
    rint: roundHalfEven,
    round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
    significand: (x) => (x === 0 || !Number.isFinite(x) ? x : x / 2 ** exponentOf(x)),
    sin: Math.sin,
    sinh: Math.sinh,
    sqrt: Math.sqrt,
    tan: Math.tan,
    tanh: Math.tanh,
    tgamma: gamma,
    trunc: Math.trunc,
  }),
  ...binary({
    atan2: Math.atan2,
    copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
    drem: (x, y) => x - y * roundHalfEven(x / y),
    fdim: (x, y) => Math.max(x - y, 0),
    fmax: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
    fmin: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
    fmod: (x, y) => x % y,
    hypot: Math.hypot,
    ldexp: (x, e) => x * 2 ** e,
    nextafter: nextAfter,
    nexttoward: nextAfter,
    pow: (x, y) => (x === 1 ? 1 : x ** y),
    scalb: (x, e) => x * 2 ** e,
    scalbln: (x, e) => x * 2 ** e,
  }),
  "fma/3": value3((_input, [x, y, z]) => requireNumber(x) * requireNumber(y) + requireNumber(z)),
};

function unary(functions: Readonly<Record<string, (x: number) => unknown>>): Record<string, Native> {
  const entries = Object.entries(functions);
  return Object.fromEntries(entries.map(([name, apply]) => [`${name}/0`, value0((x) => apply(requireNumber(x)))]));
}

function binary(functions: Readonly<Record<string, (x: number, y: number) => number>>): Record<string, Native> {
  const toNative = (apply: (x: number, y: number) => number): Native =>
    value2((_input, x, y) => apply(requireNumber(x), requireNumber(y)));
  return Object.fromEntries(Object.entries(functions).map(([name, apply]) => [`${name}/2`, toNative(apply)]));
}

/** x as a fraction of at least a half and below one, and the power of two that goes with it. */
function frexp(x: number): [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  const exponent = exponentOf(x) + 1;
  // Two steps: for a subnormal x the power alone would overflow.
  const half = exponent >> 1;
  return [x / 2 ** half / 2 ** (exponent - half), exponent];
}

const bits = new DataView(new ArrayBuffer(8));

function nextAfter(from: number, toward: number): number {
  if (Number.isNaN(from) || Number.isNaN(toward)) return Number.NaN;
  if (from === toward) return toward;
  if (from === 0) return toward > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  bits.setFloat64(0, from);
  const up = toward > from === from > 0;
  bits.setBigInt64(0, bits.getBigInt64(0) + (up ? 1n : -1n));
  return bits.getFloat64(0);
}
