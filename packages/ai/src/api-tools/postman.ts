import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { type ApiDescription, type ApiTool, inputSchemaOf, type Parameter, slugOf } from "./tool.ts";

const DEEPEST = 32;

/** A Postman collection: requests in folders. The first request's origin is the address of all. */
export function readPostman(collection: JsonObject): ApiDescription {
  const requests = requestsIn(collection["item"], 0);
  const bases = requests.map(({ url }) => url.origin).filter((origin) => origin !== "");
  return { tools: requests.map(toolOf), baseUrl: bases[0] ?? "", format: "postman" };
}

type Request = {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  readonly url: { readonly origin: string; readonly path: string; readonly query: readonly string[] };
  readonly headers: readonly string[];
  readonly body: readonly Parameter[];
};

function requestsIn(items: Json | undefined, depth: number): readonly Request[] {
  if (!Array.isArray(items) || depth > DEEPEST) return [];
  return (items as readonly Json[]).flatMap((item): readonly Request[] => {
    if (!isJsonObject(item)) return [];
    const { request } = item;
    if (request === undefined) return requestsIn(item["item"], depth + 1);
    const whole: JsonObject = typeof request === "string" ? { url: request } : isJsonObject(request) ? request : {};
    return [
      {
        name: text(item["name"]),
        description: text(item["description"]) || text(whole["description"]),
        method: (text(whole["method"]) || "GET").toUpperCase(),
        url: readUrl(whole["url"]),
        headers: keysOf(whole["header"]),
        body: bodyOf(whole["body"]),
      },
    ];
  });
}

function toolOf({ name, description, method, url, headers, body }: Request): ApiTool {
  const variables = [...url.path.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable ?? "");
  const texts = (names: readonly string[], place: Parameter["in"]): readonly Parameter[] =>
    names.map((one) => ({ name: one, in: place, isRequired: place === "path", schema: { type: "string" } }));
  return {
    name: name === "" ? slugOf(method, url.path) : name.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, ""),
    description: description || name,
    method,
    path: url.path,
    inputSchema: inputSchemaOf([
      ...texts(variables, "path"),
      ...texts(url.query, "query"),
      ...texts(headers, "header"),
      ...body,
    ]),
  };
}

/** Variables of a path are written `:id` or `{{id}}` there, and `{id}` here. */
function readUrl(url: Json | undefined): Request["url"] {
  const raw = typeof url === "string" ? url : text(isJsonObject(url) ? url["raw"] : undefined);
  const [, origin = "", rest = raw] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]+)(.*)$/is.exec(raw) ?? [];
  const [path = "", query = ""] = rest.replace(/^\{\{\w+\}\}/, "").split("?");
  const listed = isJsonObject(url) ? keysOf(url["query"]) : [];
  return {
    origin,
    path: (path === "" ? "/" : path).replaceAll(/:(\w+)/g, "{$1}").replaceAll(/\{\{(\w+)\}\}/g, "{$1}"),
    query: listed.length > 0 ? listed : [...new URLSearchParams(query).keys()],
  };
}

function bodyOf(body: Json | undefined): readonly Parameter[] {
  if (!isJsonObject(body)) return [];
  const form = keysOf(body["urlencoded"] ?? body["formdata"]);
  if (form.length > 0) return form.map((name) => ({ name, in: "body", isRequired: false, schema: { type: "string" } }));
  try {
    const example: unknown = JSON.parse(text(body["raw"]));
    if (!isJsonObject(example)) return [];
    return Object.entries(example).map(([name, value]) => ({
      name,
      in: "body",
      isRequired: false,
      schema: { type: typeOf(value) },
    }));
  } catch {
    // A body that is no JSON: nothing is known of its parts.
    return [];
  }
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "string" : typeof value;
}

const keysOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value)
    ? (value as readonly Json[]).flatMap((one) =>
        isJsonObject(one) && typeof one["key"] === "string" ? [one["key"]] : [],
      )
    : [];

const text = (value: Json | undefined): string => (typeof value === "string" ? value.trim() : "");
