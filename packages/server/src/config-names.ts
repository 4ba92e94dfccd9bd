import { configTable } from "./config-table.ts";
import { type ConfigEntry, squashName as squash } from "./config-values.ts";
import { keysWithoutEffect } from "./config-without-effect.ts";

export type ConfigKey = (typeof configTable)[number]["key"];
export type KnownEntry = ConfigEntry & { readonly key: ConfigKey };

/** Finds a setting by a dotted name: any case, dashes or not, `conductor.` for `service.`, or neither. */
export function findEntry(name: string): KnownEntry | undefined {
  return entriesByName.get(relax(withBrand(name)));
}

/** Finds a setting by the name of an environment variable, which cannot tell dots from dashes. */
export function findEntryByVariable(variable: string): KnownEntry | undefined {
  return entriesByVariable.get(squash(variable.replace(/^conductor/i, "service")));
}

/** Where a name like `service.vectordb.instances[0].name`, or its variable, leads: a field of a record of a list. */
export function findRecordField(
  name: string,
  isVariable: boolean,
): { readonly entry: KnownEntry; readonly index: number; readonly field: string } | undefined {
  const form = isVariable ? /^(.+?)_(\d+)_(.+)$/ : /^(.+?)\[(\d+)\]\.(.+)$/;
  const [, list, index, field] = form.exec(name) ?? [];
  if (list === undefined || field === undefined) {
    return;
  }
  const entry = isVariable ? findEntryByVariable(list) : findEntry(list);
  return entry?.type === "records" ? { entry, index: Number(index), field } : undefined;
}

/** Lower is the stronger spelling when one source names a setting twice: own key, then alias, then `conductor`. */
export function rankSpelling(entry: KnownEntry, name: string): number {
  const isOwnKey = squash(withBrand(name)) === squash(entry.key);
  return (isOwnKey ? 0 : 1) + (/^conductor/i.test(name) ? 2 : 0);
}

export function hasNoEffect(name: string): boolean {
  const key = squash(withBrand(name));
  return keysWithoutEffect.some((known) =>
    known.endsWith(".") ? key.startsWith(squash(known)) : key === squash(withBrand(known)),
  );
}

/** The known key most like the name, when it is like enough to be a slip. */
export function suggestKey(name: string): ConfigKey | undefined {
  const wanted = squash(withBrand(name));
  let best: { key: ConfigKey; distance: number } | undefined;
  for (const { key } of configTable) {
    const distance = editDistance(wanted, squash(key));
    if (best === undefined || distance < best.distance) {
      best = { key, distance };
    }
  }
  return best !== undefined && best.distance <= Math.max(2, wanted.length / 4) ? best.key : undefined;
}

const relax = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

const entriesByName = indexEntries(relax);
const entriesByVariable = indexEntries(squash);

function indexEntries(form: (name: string) => string): ReadonlyMap<string, KnownEntry> {
  const index = new Map<string, KnownEntry>();
  for (const entry of configTable as readonly KnownEntry[]) {
    for (const name of [entry.key, ...(entry.aliases ?? [])]) {
      index.set(form(name), entry);
    }
  }
  return index;
}

function withBrand(name: string): string {
  const [, brand, rest] = /^(service|conductor|spring)[._](.*)$/is.exec(name) ?? [];
  if (brand === undefined) {
    return `service.${name}`;
  }
  return brand.toLowerCase() === "spring" ? name : `service.${rest}`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
