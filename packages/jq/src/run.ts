import { JqAbort, JqError } from "./errors.ts";
import type { Meter } from "./meter.ts";

export type RunLimits = {
  readonly maxSteps: number;
  readonly maxDepth: number;
  readonly now: (() => number) | undefined;
  readonly localOffset: (epochSeconds: number) => number;
};

/** Longest string and array a program may build. Strings are ropes until read, so length is the honest measure. */
const maxStringLength = 1 << 24;
const maxArrayLength = 1 << 24;

/**
 * The state of one run: what is left of its budgets. One owner, one thread: made by the program, passed down inside the
 * environment, dropped at the end. Every loop and every call takes a step, so a program ends or fails within `maxSteps`;
 * work that copies n items charges for them, because otherwise one step could cost seconds.
 */
export class Run implements Meter {
  readonly limits: RunLimits;
  depth = 0;
  #steps: number;

  constructor(limits: RunLimits) {
    this.limits = limits;
    this.#steps = limits.maxSteps;
  }

  step(): void {
    this.#steps -= 1;
    if (this.#steps < 0) this.#failSteps();
  }

  /** Charges for work over `count` items that is cheaper than a step each, such as copying. */
  charge(count: number): void {
    this.#steps -= (count >> 3) + 1;
    if (this.#steps < 0) this.#failSteps();
  }

  /** Charges for copying an object. Large ones are hash tables: a key takes some 300 ns instead of 10. */
  chargeObject(keyCount: number): void {
    this.charge(keyCount * (keyCount < 64 ? 4 : 32));
  }

  /** Charges a full step for each of `count` items that are created and kept. */
  allocate(count: number): void {
    this.#steps -= count;
    if (this.#steps < 0) this.#failSteps();
  }

  enter(): void {
    this.#steps -= 1;
    if (this.#steps < 0) this.#failSteps();
    this.depth += 1;
    if (this.depth > this.limits.maxDepth) {
      throw new JqAbort(`Recursion deeper than ${this.limits.maxDepth} calls`);
    }
  }

  chargeText(length: number): void {
    this.#steps -= length >> 4;
    if (this.#steps < 0) this.#failSteps();
  }

  chargeSearch(length: number, needleLength: number): void {
    this.#steps -= (length >> 4) * (1 + (needleLength >> 4));
    if (this.#steps < 0) this.#failSteps();
  }

  /** How long a text the rest of the budget allows to be written out. */
  get textAllowance(): number {
    return Math.min(maxStringLength, this.#steps * 4);
  }

  checkString(length: number): void {
    if (length > maxStringLength) throw new JqAbort(`String longer than ${maxStringLength} characters`);
  }

  checkArray(length: number): void {
    if (length > maxArrayLength) throw new JqAbort(`Array longer than ${maxArrayLength} elements`);
    this.charge(length);
  }

  now(): number {
    if (this.limits.now === undefined) throw new JqError("now/0 needs a clock, and none was given");
    return this.limits.now();
  }

  #failSteps(): never {
    throw new JqAbort(`Program ran for more than ${this.limits.maxSteps} steps`);
  }
}
