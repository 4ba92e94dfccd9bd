import type { Run } from "../run.ts";
import { collectionBuiltins } from "./collections.ts";
import { environmentBuiltins } from "./environment.ts";
import { formatBuiltins } from "./formats.ts";
import { matchingBuiltins } from "./matching.ts";
import { mathBuiltins } from "./math.ts";
import { type Native, type Natives, value0 } from "./native.ts";
import { placeBuiltins } from "./places.ts";
import { preludeSource } from "./prelude.ts";
import { quantifierBuiltins } from "./quantifiers.ts";
import { selectionBuiltins } from "./selection.ts";
import { sortingBuiltins } from "./sorting.ts";
import { streamBuiltins } from "./streams.ts";
import { stringBuiltins } from "./strings.ts";
import { timeBuiltins } from "./time.ts";

const groups: readonly Natives[] = [
  selectionBuiltins,
  streamBuiltins,
  quantifierBuiltins,
  collectionBuiltins,
  sortingBuiltins,
  placeBuiltins,
  stringBuiltins,
  formatBuiltins,
  matchingBuiltins,
  mathBuiltins,
  timeBuiltins,
  environmentBuiltins,
  { "builtins/0": value0((_input, run) => listNames(run)) },
];

/** All builtins written in TypeScript, by "name/arity". Those written in jq are in prelude.ts. */
export const natives: ReadonlyMap<string, Native> = new Map(groups.flatMap((group) => Object.entries(group)));

function listNames(run: Run): string[] {
  const inJq = preludeSource.matchAll(/^def (\w+)(?:\(([^)]*)\))?:/gm);
  const names = [
    ...natives.keys(),
    ...[...inJq].map(([, name, params]) => `${name}/${params?.split(";").length ?? 0}`),
  ];
  run.allocate(names.length);
  return names;
}
