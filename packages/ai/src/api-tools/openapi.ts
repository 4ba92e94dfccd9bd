import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { type ApiDescription, type ApiTool, inputSchemaOf, type Parameter, slugOf } from "./tool.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** OpenAPI 3 and Swagger 2: what differs is where bodies and the address stand. */
export function readOpenApi(spec: JsonObject, specUrl: URL): ApiDescription {
  const isSwagger = "swagger" in spec;
  const tools = Object.entries(object(spec["paths"])).flatMap(([path, item]) => {
    const shared = list(object(item)["parameters"]);
    return methods.flatMap((method): readonly ApiTool[] => {
      const operation = object(item)[method];
      return isJsonObject(operation) ? [toolOf({ spec, path, method, operation, shared })] : [];
    });
  });
  return {
    tools,
    baseUrl: isSwagger ? swaggerBase(spec, specUrl) : serverBase(spec, specUrl),
    format: isSwagger ? "swagger2" : "openapi3",
  };
}

type Operation = {
  readonly spec: JsonObject;
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
  readonly shared: readonly Json[];
};

function toolOf({ spec, path, method, operation, shared }: Operation): ApiTool {
  const given = [...shared, ...list(operation["parameters"])].map((one) => resolved(spec, one));
  const body = resolved(spec, operation["requestBody"]);
  const parameters = [...given.flatMap((one) => parametersOf(spec, one)), ...bodyParameters(spec, body)];
  return {
    name: text(operation["operationId"]) || slugOf(method, path),
    description: text(operation["summary"]) || text(operation["description"]),
    method: method.toUpperCase(),
    path,
    // One that is given again takes the place of the one of its path.
    inputSchema: inputSchemaOf([...new Map(parameters.map((one) => [one.name, one])).values()]),
  };
}

function parametersOf(spec: JsonObject, parameter: JsonObject): readonly Parameter[] {
  const { name, in: place, schema, required, description, ...rest } = parameter;
  if (typeof name !== "string") return [];
  const isRequired = required === true;
  if (place === "body") return propertiesOf(spec, resolved(spec, schema), isRequired);
  if (place === "formData") return [{ name, in: "body", isRequired, schema: described(plain(rest), description) }];
  if (place !== "path" && place !== "query" && place !== "header") return [];
  const own = isJsonObject(schema) ? schema : plain(rest);
  return [{ name, in: place, isRequired: isRequired || place === "path", schema: described(own, description) }];
}

function bodyParameters(spec: JsonObject, body: JsonObject): readonly Parameter[] {
  const content = object(body["content"]);
  const type = Object.keys(content).find((name) => /json/i.test(name)) ?? Object.keys(content)[0];
  if (type === undefined) return [];
  return propertiesOf(spec, resolved(spec, object(content[type])["schema"]), body["required"] === true);
}

/** The properties of a body that is an object; any other body is one parameter of that name. */
function propertiesOf(spec: JsonObject, schema: JsonObject, isRequired: boolean): readonly Parameter[] {
  const parts = [schema, ...list(schema["allOf"]).map((part) => resolved(spec, part))];
  const properties = parts.flatMap((part) => Object.entries(object(part["properties"])));
  if (properties.length === 0) return [{ name: "body", in: "body", isRequired, schema }];
  const required = new Set(parts.flatMap((part) => list(part["required"])));
  return properties.map(([name, property]) => ({
    name,
    in: "body",
    isRequired: required.has(name),
    schema: object(property),
  }));
}

const described = (schema: JsonObject, description: Json | undefined): JsonObject =>
  typeof description === "string" ? { ...schema, description } : schema;

const schemaWords: ReadonlySet<string> = new Set(["type", "format", "enum", "items", "default"]);

/** What Swagger 2 writes beside the name of a parameter is its schema. */
const plain = (rest: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(rest).filter(([name]) => schemaWords.has(name)));

/** What a reference into the same document stands for. */
function resolved(spec: JsonObject, value: Json | undefined): JsonObject {
  const found = object(value);
  const reference = found["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/")) return found;
  let at: Json | undefined = spec;
  for (const part of reference.slice(2).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) ? ownMember(at, name) : undefined;
  }
  return isJsonObject(at) ? at : found;
}

function serverBase(spec: JsonObject, specUrl: URL): string {
  const [first] = list(spec["servers"]);
  const { url: written, variables } = object(first);
  // A variable of the address stands for its default.
  const url = text(written).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const { default: value } = object(ownMember(object(variables), name));
    return typeof value === "string" ? value : whole;
  });
  return url === "" ? specUrl.origin : withoutSlash(URL.parse(url, specUrl.href)?.href ?? url);
}

function swaggerBase(spec: JsonObject, specUrl: URL): string {
  const [scheme] = list(spec["schemes"]);
  const host = text(spec["host"]) || specUrl.host;
  return withoutSlash(`${text(scheme) || specUrl.protocol.replace(":", "")}://${host}${text(spec["basePath"])}`);
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");
const object = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const text = (value: Json | undefined): string => (typeof value === "string" ? value.trim() : "");
