import { JqError } from "../errors.ts";
import type { Assertion, CodeTest, ParsedPattern, Pattern } from "./ast.ts";

/**
 * A pattern as a list of instructions. `split` goes on at `first` and, should that fail, at `second`. `loop` repeats a
 * set by itself, so that the common `.*` costs one instruction however long the text. `mark` and `checkMark` guard
 * repeats whose body can match nothing: a round that does not move ends the repeat.
 */
export type Instruction =
  | { readonly op: "set"; readonly test: CodeTest }
  | { readonly op: "split"; readonly first: number; readonly second: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "assert"; readonly what: Assertion }
  | {
      readonly op: "loop";
      readonly test: CodeTest;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    }
  | { readonly op: "mark"; readonly slot: number }
  | { readonly op: "checkMark"; readonly slot: number; readonly exit: number }
  | { readonly op: "backreference"; readonly groups: readonly number[]; readonly ignoreCase: boolean }
  | { readonly op: "atomic"; readonly body: readonly Instruction[] }
  | {
      readonly op: "look";
      readonly body: readonly Instruction[];
      readonly isNegative: boolean;
      readonly behind: Span | undefined;
    }
  | { readonly op: "keep" }
  | { readonly op: "match" };

/** How many code points a pattern can span. */
export type Span = { readonly min: number; readonly max: number };

export type RegexProgram = {
  readonly instructions: readonly Instruction[];
  readonly names: readonly (string | null)[];
  readonly slotCount: number;
};

/** Repeats of groups are written out, so the size must have an end. */
const maxInstructions = 50_000;

export function assemble({ root, names }: ParsedPattern): RegexProgram {
  const assembler = new Assembler(2 * (names.length + 1));
  const instructions = assembler.assembleWhole(root);
  return { instructions, names, slotCount: assembler.slotCount };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Split = Writable<Extract<Instruction, { op: "split" }>>;
type Jump = Writable<Extract<Instruction, { op: "jump" }>>;
type CheckMark = Writable<Extract<Instruction, { op: "checkMark" }>>;

/** Slots are pairs of positions for the match and each group, followed by the marks. */
class Assembler {
  slotCount: number;
  #size = 0;

  constructor(slotCount: number) {
    this.slotCount = slotCount;
  }

  assembleWhole(pattern: Pattern): Instruction[] {
    const code: Instruction[] = [];
    this.#write(pattern, code);
    this.#push(code, { op: "match" });
    return code;
  }

  #push<T extends Instruction>(code: Instruction[], instruction: T): T {
    this.#size += 1;
    if (this.#size > maxInstructions) throw new JqError("Regex failure: too big pattern");
    code.push(instruction);
    return instruction;
  }

  #write(pattern: Pattern, code: Instruction[]): void {
    switch (pattern.kind) {
      case "set":
        this.#push(code, { op: "set", test: pattern.test });
        return;
      case "sequence":
        for (const item of pattern.items) this.#write(item, code);
        return;
      case "choice":
        return this.#writeChoice(pattern.options, code);
      case "group":
        this.#push(code, { op: "save", slot: 2 * pattern.index });
        this.#write(pattern.body, code);
        this.#push(code, { op: "save", slot: 2 * pattern.index + 1 });
        return;
      case "repeat":
        return this.#writeRepeat(pattern, code);
      case "assert":
        this.#push(code, { op: "assert", what: pattern.what });
        return;
      case "look": {
        const behind = pattern.isBehind ? spanOf(pattern.body) : undefined;
        const body = this.assembleWhole(pattern.body);
        this.#push(code, { op: "look", body, isNegative: pattern.isNegative, behind });
        return;
      }
      case "atomic":
        this.#push(code, { op: "atomic", body: this.assembleWhole(pattern.body) });
        return;
      case "backreference":
        this.#push(code, { op: "backreference", groups: pattern.groups, ignoreCase: pattern.ignoreCase });
        return;
      case "keep":
        this.#push(code, { op: "keep" });
        return;
    }
  }

  #writeChoice(options: readonly Pattern[], code: Instruction[]): void {
    const exits: Jump[] = [];
    for (const [i, option] of options.entries()) {
      if (i === options.length - 1) {
        this.#write(option, code);
        break;
      }
      const split: Split = this.#push(code, { op: "split", first: code.length + 1, second: 0 });
      this.#write(option, code);
      exits.push(this.#push(code, { op: "jump", to: 0 }));
      split.second = code.length;
    }
    for (const exit of exits) exit.to = code.length;
  }

  #writeRepeat(pattern: Extract<Pattern, { kind: "repeat" }>, code: Instruction[]): void {
    const { body, min, max, mode } = pattern;
    if (mode === "possessive") {
      return this.#write({ kind: "atomic", body: { kind: "repeat", body, min, max, mode: "greedy" } }, code);
    }
    const isLazy = mode === "lazy";
    if (body.kind === "set") {
      this.#push(code, { op: "loop", test: body.test, min, max, isLazy });
      return;
    }
    for (let i = 0; i < min; i++) this.#write(body, code);
    if (max === Number.POSITIVE_INFINITY) return this.#writeStar(body, isLazy, code);
    const splits: Split[] = [];
    for (let i = min; i < max; i++) {
      splits.push(this.#push(code, { op: "split", first: code.length + 1, second: code.length + 1 }));
      this.#write(body, code);
    }
    for (const split of splits) {
      if (isLazy) split.first = code.length;
      else split.second = code.length;
    }
  }

  #writeStar(body: Pattern, isLazy: boolean, code: Instruction[]): void {
    const top = code.length;
    const split: Split = this.#push(code, { op: "split", first: top + 1, second: top + 1 });
    const slot = spanOf(body).min === 0 ? this.slotCount++ : undefined;
    if (slot !== undefined) this.#push(code, { op: "mark", slot });
    this.#write(body, code);
    const check: CheckMark | undefined =
      slot === undefined ? undefined : this.#push(code, { op: "checkMark", slot, exit: 0 });
    this.#push(code, { op: "jump", to: top });
    if (isLazy) split.first = code.length;
    else split.second = code.length;
    if (check !== undefined) check.exit = code.length;
  }
}

function spanOf(pattern: Pattern): Span {
  switch (pattern.kind) {
    case "set":
      return { min: 1, max: 1 };
    case "sequence":
      return pattern.items
        .map(spanOf)
        .reduce((a, b) => ({ min: a.min + b.min, max: a.max + b.max }), { min: 0, max: 0 });
    case "choice": {
      const spans = pattern.options.map(spanOf);
      return { min: Math.min(...spans.map((span) => span.min)), max: Math.max(...spans.map((span) => span.max)) };
    }
    case "group":
    case "atomic":
      return spanOf(pattern.body);
    case "repeat": {
      const span = spanOf(pattern.body);
      return { min: span.min * pattern.min, max: span.max === 0 ? 0 : span.max * pattern.max };
    }
    case "backreference":
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case "assert":
    case "look":
    case "keep":
      return { min: 0, max: 0 };
  }
}
