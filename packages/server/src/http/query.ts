import { invalidInput } from "./errors.ts";

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parameters of a request's query, read by name and type; a wrong value is a 400 that says which. */
export class QueryReader {
  readonly #query: Query;

  constructor(query: unknown) {
    this.#query = (query ?? {}) as Query;
  }

  text(name: string): string | undefined {
    const value = this.#query[name];
    const first = typeof value === "string" ? value : value?.[0];
    return first === undefined || first === "" ? undefined : first;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      throw invalidInput(`Required request parameter '${name}' for method parameter type String is not present`);
    }
    return value;
  }

  integer(name: string, absent: number): number {
    return this.optionalInteger(name) ?? absent;
  }

  optionalInteger(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value))
      throw invalidInput(`Expected query parameter ${name} to be a whole number, got "${value}"`);
    return Number(value);
  }

  flag(name: string, absent: boolean): boolean {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return absent;
    if (["true", "on", "yes", "1"].includes(value)) return true;
    if (["false", "off", "no", "0"].includes(value)) return false;
    throw invalidInput(`Expected query parameter ${name} to be true or false, got "${value}"`);
  }

  /** Repeated, or separated by commas. */
  list(name: string): readonly string[] {
    const value = this.#query[name];
    const parts = typeof value === "string" ? [value] : (value ?? []);
    return parts.flatMap((part) => part.split(",")).filter((part) => part !== "");
  }
}
