/** Readers for what a URL says after its `?`. What cannot be read is left out, never an error. */
export type RawSearch = Readonly<Record<string, unknown>>;

export function text(raw: RawSearch, name: string): string | undefined {
  const value = raw[name];
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function number(raw: RawSearch, name: string): number | undefined {
  const value = Number(raw[name]);
  return raw[name] !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export const flag = (raw: RawSearch, name: string): true | undefined =>
  raw[name] === true || raw[name] === "true" ? true : undefined;

/** The given one if it is among the known. */
export function oneOf<T extends string>(raw: RawSearch, name: string, known: readonly T[]): T | undefined {
  return known.find((one) => one === raw[name]);
}

/** Without what is undefined: exact optional properties, and short URLs. */
export function defined<T extends object>(search: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** What the URL of a list with nothing but a search box says. */
export const readTextSearch = (raw: RawSearch): { readonly text?: string } =>
  defined({ text: text(raw, "text") }) as { text?: string };
