import { DefinitionFormatError, isJsonObject, type JsonObject, optional, type Reader, reader } from "@downbeat/engine";

/** One of these words in whatever case; kept in lower case. */
export const anyCaseOneOf = <const Name extends string>(...names: readonly Name[]): Reader<Name | undefined> =>
  reader({ type: "string", enum: names }, (value, path) => {
    if (value === undefined || value === null) return undefined;
    const word = typeof value === "string" ? value.toLowerCase() : value;
    const found = names.find((name) => name === word);
    if (found === undefined) {
      throw new DefinitionFormatError(path, `Expected ${path} to be one of ${names.join(", ")}, got ${shown(value)}`);
    }
    return found;
  });

export const optionalNumber: Reader<number | undefined> = reader({ type: "number" }, (value, path) => {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new DefinitionFormatError(path, `Expected ${path} to be a number, got ${shown(value)}`);
});

const object: Reader<JsonObject> = reader({ type: "object", additionalProperties: true }, (value, path) => {
  if (isJsonObject(value)) return value;
  throw new DefinitionFormatError(path, `Expected ${path} to be an object, got ${shown(value)}`);
});

/** A map the caller fills as they like, kept as it is. */
export const optionalObject: Reader<JsonObject | undefined> = optional(object);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
