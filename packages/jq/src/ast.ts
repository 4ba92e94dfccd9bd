/** What the parser gives. `at` is the position in the source, kept where a later step may have to complain. */
export type Node =
  | { readonly kind: "identity" }
  | { readonly kind: "recurse" }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "string"; readonly format: string; readonly parts: readonly (string | Node)[] }
  | { readonly kind: "format"; readonly format: string }
  | { readonly kind: "index"; readonly target: Node; readonly key: Node }
  | { readonly kind: "slice"; readonly target: Node; readonly from: Node | undefined; readonly to: Node | undefined }
  | { readonly kind: "iterate"; readonly target: Node }
  | { readonly kind: "try"; readonly body: Node; readonly handler: Node | undefined }
  | { readonly kind: "negate"; readonly operand: Node }
  | { readonly kind: "pipe"; readonly left: Node; readonly right: Node }
  | { readonly kind: "comma"; readonly left: Node; readonly right: Node }
  | { readonly kind: "arithmetic"; readonly op: ArithmeticOp; readonly left: Node; readonly right: Node }
  | { readonly kind: "comparison"; readonly op: ComparisonOp; readonly left: Node; readonly right: Node }
  | { readonly kind: "and"; readonly left: Node; readonly right: Node }
  | { readonly kind: "or"; readonly left: Node; readonly right: Node }
  | { readonly kind: "alternative"; readonly left: Node; readonly right: Node }
  | { readonly kind: "assign"; readonly target: Node; readonly value: Node }
  | { readonly kind: "update"; readonly target: Node; readonly value: Node }
  | { readonly kind: "updateWith"; readonly op: ArithmeticOp | "//"; readonly target: Node; readonly value: Node }
  | { readonly kind: "if"; readonly condition: Node; readonly then: Node; readonly otherwise: Node }
  | {
      readonly kind: "reduce";
      readonly source: Node;
      readonly patterns: Patterns;
      readonly init: Node;
      readonly update: Node;
    }
  | {
      readonly kind: "foreach";
      readonly source: Node;
      readonly patterns: Patterns;
      readonly init: Node;
      readonly update: Node;
      readonly extract: Node;
    }
  | { readonly kind: "bind"; readonly source: Node; readonly patterns: Patterns; readonly body: Node }
  | { readonly kind: "define"; readonly definition: Definition; readonly body: Node }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly kind: "variable"; readonly name: string; readonly at: number }
  | { readonly kind: "label"; readonly name: string; readonly body: Node }
  | { readonly kind: "break"; readonly name: string; readonly at: number }
  | { readonly kind: "array"; readonly body: Node | undefined }
  | { readonly kind: "object"; readonly entries: readonly Entry[] };

export type ArithmeticOp = "+" | "-" | "*" | "/" | "%";
export type ComparisonOp = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Entry = { readonly key: Node; readonly value: Node };

export type Definition = { readonly name: string; readonly params: readonly Param[]; readonly body: Node };
/** `isValue` marks `$name`: the argument is evaluated once per call and bound, besides being callable as `name`. */
export type Param = { readonly name: string; readonly isValue: boolean };

/** One pattern, or several joined by `?//`, tried in turn while the one before fails. */
export type Patterns = readonly [Pattern, ...Pattern[]];
export type Pattern =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Pattern[] }
  | { readonly kind: "fields"; readonly fields: readonly PatternField[] };
/** `bind` is the variable of `{$name}` and `{$name: pattern}`. */
export type PatternField = {
  readonly key: Node;
  readonly bind: string | undefined;
  readonly pattern: Pattern | undefined;
};

export const identity: Node = { kind: "identity" };
export const literal = (value: unknown): Node => ({ kind: "literal", value });
export const call = (name: string, args: readonly Node[], at: number): Node => ({ kind: "call", name, args, at });
export const variable = (name: string, at: number): Node => ({ kind: "variable", name, at });
export const location = (line: number): Node => literal({ file: "<top-level>", line });
