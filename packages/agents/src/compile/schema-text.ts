import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";

/** A JSON Schema in a short form that models read well: `{'city': str, 'tags': [str], 'note': str | None}`. */
export function schemaText(schema: JsonObject): string {
  return describe(schema, { root: schema, open: [] });
}

type Place = { readonly root: JsonObject; readonly open: readonly string[] };

const scalars: { readonly [type: string]: string } = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

function describe(schema: Json | undefined, place: Place): string {
  if (!isJsonObject(schema)) return "any";
  const reference = schema["$ref"];
  if (typeof reference === "string") return describeReference(reference, place);
  if (Array.isArray(schema["enum"])) return JSON.stringify(schema["enum"]);
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return choices.map((choice) => describe(choice, place)).join(" | ");
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => describe({ ...schema, type: one }, place)).join(" | ");
  if (type === "array") return `[${describe(schema["items"], place)}]`;
  if (type === "object" || isJsonObject(schema["properties"])) return describeObject(schema, place);
  return (typeof type === "string" ? scalars[type] : undefined) ?? "any";
}

function describeObject(schema: JsonObject, place: Place): string {
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return "{}";
  const members = Object.entries(properties).map(([key, member]) => `'${key}': ${describe(member, place)}`);
  return `{${members.join(", ")}}`;
}

/** A schema that contains itself is named the second time. */
function describeReference(reference: string, { root, open }: Place): string {
  const name = reference.split("/").at(-1) ?? "";
  if (open.includes(reference)) return name;
  const target = reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .reduce<Json | undefined>((at, part) => (isJsonObject(at) ? at[part] : undefined), root);
  return target === undefined ? name : describe(target, { root, open: [...open, reference] });
}
