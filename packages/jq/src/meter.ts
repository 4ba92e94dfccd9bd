/**
 * Where work is paid for. Anything that walks, compares or copies a value of unknown size takes a meter: values can be
 * shared many times inside one another, so that a few steps build something no computer can walk through.
 */
export interface Meter {
  /** Work over `count` elements, cheaper than a step each. */
  charge(count: number): void;
  /** Reading or making `length` characters. */
  chargeText(length: number): void;
  /** Looking for `needleLength` characters in `length`; native search is quadratic in the worst case. */
  chargeSearch(length: number, needleLength: number): void;
}
