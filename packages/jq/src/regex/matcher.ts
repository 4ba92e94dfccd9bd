import { JqAbort } from "../errors.ts";
import type { Run } from "../run.ts";
import type { Assertion } from "./ast.ts";
import { caseForms, isWord } from "./code-sets.ts";
import type { Instruction, RegexProgram } from "./program.ts";

export type SearchOptions = {
  /** Matches of nothing do not count. */
  readonly isNotEmpty: boolean;
  /** Of all ways to match at a place, the longest wins instead of the first. */
  readonly isLongest: boolean;
};

/** Most places to go back to that one attempt may hold. */
const maxChoices = 1_000_000;

/**
 * Runs a pattern over one text by backtracking, with the places to go back to on a list instead of the call stack.
 * It draws steps from the run: JavaScript's own engine cannot be stopped, and a pattern such as `(a+)+$` can keep it
 * busy for hours.
 */
export class Matcher {
  readonly #program: RegexProgram;
  readonly #text: readonly number[];
  readonly #options: SearchOptions;
  readonly #run: Run;
  #ticks = 0;
  #start = 0;

  constructor(program: RegexProgram, text: readonly number[], options: SearchOptions, run: Run) {
    this.#program = program;
    this.#text = text;
    this.#options = options;
    this.#run = run;
  }

  /** Positions of the match and its groups (start, end, start, end, ..., -1 where unset), or undefined. */
  search(from: number): readonly number[] | undefined {
    const [first] = this.#program.instructions;
    const only = first?.op === "set" ? first.test.only : undefined;
    const last = first?.op === "assert" && first.what === "start" ? 0 : this.#text.length;
    for (let start = from; start <= last; start++) {
      if (only !== undefined) {
        start = this.#text.indexOf(only, start);
        if (start === -1) return undefined;
      }
      this.#tick();
      const slots = new Array<number>(this.#program.slotCount).fill(-1);
      this.#start = start;
      const end = this.#attempt(this.#program.instructions, start, slots, -1);
      if (end < 0) continue;
      if (slots[0] === -1) slots[0] = start;
      slots[1] = end;
      return slots.slice(0, 2 * (this.#program.names.length + 1));
    }
    return undefined;
  }

  #tick(): void {
    this.#ticks += 1;
    if ((this.#ticks & 3) === 0) this.#run.step();
  }

  /**
   * Where the instructions match from `start`, or -1; `slots` holds the groups of the match. With `mustEnd` at or above 0
   * only a match that ends there counts, which is how look-behind works. The backtrack list holds triples: an
   * instruction and a position to resume at, or (as ~slot) a slot and the value to put back into it.
   */
  #attempt(code: readonly Instruction[], start: number, slots: number[], mustEnd: number): number {
    const isWhole = code === this.#program.instructions;
    const text = this.#text;
    const stack: number[] = [];
    let at = start;
    let pc = 0;
    let longest = -1;
    let longestSlots: number[] | undefined;

    for (;;) {
      this.#tick();
      const instruction = code[pc];
      let isFailed = false;
      switch (instruction?.op) {
        case "set": {
          const here = text[at];
          if (here !== undefined && instruction.test.has(here)) {
            at += 1;
            pc += 1;
          } else isFailed = true;
          break;
        }
        case "loop": {
          const { test, min, max, isLazy } = instruction;
          const limit = Math.min(text.length, at + (isLazy ? min : max));
          const lowest = at + min;
          let end = at;
          while (end < limit && test.has(text[end] ?? -1)) {
            end += 1;
            if ((end & 15) === 0) this.#tick();
          }
          if (end < lowest) {
            isFailed = true;
            break;
          }
          if (isLazy ? end - at < max : end > lowest) this.#push(stack, pc, end, isLazy ? at + max : lowest);
          at = end;
          pc += 1;
          break;
        }
        case "split":
          this.#push(stack, instruction.second, at, -1);
          pc = instruction.first;
          break;
        case "jump":
          pc = instruction.to;
          break;
        case "save":
        case "mark":
          this.#setSlot(stack, slots, instruction.slot, at);
          pc += 1;
          break;
        case "checkMark":
          pc = slots[instruction.slot] === at ? instruction.exit : pc + 1;
          break;
        case "keep":
          this.#setSlot(stack, slots, 0, at);
          pc += 1;
          break;
        case "assert":
          if (this.#holds(instruction.what, at)) pc += 1;
          else isFailed = true;
          break;
        case "backreference": {
          const length = this.#backreferenceLength(instruction, slots, at);
          if (length < 0) isFailed = true;
          else {
            at += length;
            pc += 1;
          }
          break;
        }
        case "atomic":
        case "look": {
          const end = this.#inner(instruction, at, slots, stack);
          if (end < 0) isFailed = true;
          else {
            at = end;
            pc += 1;
          }
          break;
        }
        default: {
          const isWanted =
            (mustEnd < 0 || at === mustEnd) && !(isWhole && this.#options.isNotEmpty && at === this.#start);
          if (isWanted && !(isWhole && this.#options.isLongest)) return at;
          if (isWanted && at > longest) {
            longest = at;
            longestSlots = slots.slice();
          }
          isFailed = true;
        }
      }
      if (!isFailed) continue;

      const resumed = this.#backtrack(code, stack, slots);
      if (resumed === undefined) {
        if (longestSlots !== undefined) slots.splice(0, slots.length, ...longestSlots);
        return longest;
      }
      ({ pc, at } = resumed);
    }
  }

  #push(stack: number[], a: number, b: number, c: number): void {
    if (stack.length >= 3 * maxChoices) throw new JqAbort("Regex needs too much memory");
    stack.push(a, b, c);
  }

  #setSlot(stack: number[], slots: number[], slot: number, value: number): void {
    this.#push(stack, ~slot, slots[slot] ?? -1, -1);
    slots[slot] = value;
  }

  #backtrack(
    code: readonly Instruction[],
    stack: number[],
    slots: number[],
  ): { readonly pc: number; readonly at: number } | undefined {
    for (;;) {
      const limit = stack.pop();
      const position = stack.pop();
      const target = stack.pop();
      if (limit === undefined || position === undefined || target === undefined) return undefined;
      if (target < 0) {
        slots[~target] = position;
        continue;
      }
      const instruction = code[target];
      if (limit < 0 || instruction?.op !== "loop") return { pc: target, at: position };
      if (!instruction.isLazy) {
        if (position - 1 > limit) stack.push(target, position - 1, limit);
        return { pc: target + 1, at: position - 1 };
      }
      const next = this.#text[position];
      if (next === undefined || !instruction.test.has(next)) continue;
      if (position + 1 < limit) stack.push(target, position + 1, limit);
      return { pc: target + 1, at: position + 1 };
    }
  }

  /** An atomic group or a look around: a match of its own, of which only the outcome and the groups remain. */
  #inner(
    instruction: Extract<Instruction, { op: "atomic" | "look" }>,
    at: number,
    slots: number[],
    stack: number[],
  ): number {
    const trial = slots.slice();
    const end = this.#innerEnd(instruction, at, trial);
    if (instruction.op === "look" && instruction.isNegative) return end < 0 ? at : -1;
    if (end < 0) return -1;
    for (const [slot, value] of trial.entries()) {
      if (slots[slot] !== value) this.#setSlot(stack, slots, slot, value);
    }
    return instruction.op === "atomic" ? end : at;
  }

  #innerEnd(instruction: Extract<Instruction, { op: "atomic" | "look" }>, at: number, slots: number[]): number {
    if (instruction.op === "atomic" || instruction.behind === undefined) {
      return this.#attempt(instruction.body, at, slots, -1);
    }
    const { min, max } = instruction.behind;
    for (let start = at - min; start >= Math.max(0, at - max); start--) {
      this.#tick();
      if (this.#attempt(instruction.body, start, slots, at) >= 0) return at;
    }
    return -1;
  }

  #backreferenceLength(
    instruction: Extract<Instruction, { op: "backreference" }>,
    slots: readonly number[],
    at: number,
  ): number {
    const group = instruction.groups.findLast((index) => (slots[2 * index + 1] ?? -1) >= 0);
    if (group === undefined) return -1;
    const from = slots[2 * group] ?? 0;
    const length = (slots[2 * group + 1] ?? 0) - from;
    for (let i = 0; i < length; i++) {
      const wanted = this.#text[from + i];
      const found = this.#text[at + i];
      if (wanted === found) continue;
      if (wanted === undefined || found === undefined) return -1;
      if (!instruction.ignoreCase || !caseForms(wanted).includes(found)) return -1;
    }
    this.#run.charge(length);
    return length;
  }

  #holds(what: Assertion, at: number): boolean {
    const text = this.#text;
    const end = text.length;
    switch (what) {
      case "start":
        return at === 0;
      case "end":
        return at === end;
      case "endOrLastNewline":
        return at === end || (at === end - 1 && text[at] === 10);
      case "lineStart":
        return at === 0 || text[at - 1] === 10;
      case "lineEnd":
        return at === end || text[at] === 10;
      case "wordEdge":
      case "notWordEdge": {
        const isEdge = isWordAt(text[at - 1]) !== isWordAt(text[at]);
        return isEdge === (what === "wordEdge");
      }
    }
  }
}

const isWordAt = (code: number | undefined): boolean => code !== undefined && isWord(code);
