import type { Json } from "../json.ts";

/**
 * A compiled path: names and indices first, walked without materialising anything, then the steps that need the value
 * itself. `many` tells a path whose result is always a list.
 */
export type Path = {
  readonly plain: readonly (string | number)[];
  readonly rest: readonly Step[];
  readonly many: boolean;
};

export type Step =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "names"; readonly names: readonly string[] }
  | { readonly kind: "indices"; readonly indices: readonly number[] }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: "wildcard" }
  /** The value and everything inside it, outermost first; the next step picks from these. */
  | { readonly kind: "descend" }
  | { readonly kind: "filter"; readonly filter: Filter }
  | { readonly kind: "function"; readonly name: FunctionName; readonly arguments: readonly Operand[] };

export type Filter =
  | { readonly kind: "any"; readonly of: readonly Filter[] }
  | { readonly kind: "all"; readonly of: readonly Filter[] }
  | { readonly kind: "not"; readonly of: Filter }
  | { readonly kind: "exists"; readonly path: Path; readonly from: Anchor }
  | { readonly kind: "compare"; readonly operator: Operator; readonly left: Operand; readonly right: Operand };

export type Operand =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "path"; readonly path: Path; readonly from: Anchor };

/** Where a path inside a filter or an argument list starts: the value at hand, or the whole document. */
export type Anchor = "@" | "$";

export const operators = [
  "===",
  "!==",
  "==",
  "!=",
  "<=",
  ">=",
  "<",
  ">",
  "in",
  "nin",
  "contains",
  "size",
  "empty",
  "subsetof",
  "anyof",
  "noneof",
] as const;
export type Operator = (typeof operators)[number];

export const functionNames = [
  "length",
  "size",
  "keys",
  "min",
  "max",
  "avg",
  "sum",
  "stddev",
  "first",
  "last",
  "concat",
] as const;
export type FunctionName = (typeof functionNames)[number];
