import type { Json, JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/**
 * An HTTP request. Arguments fill the path, then what belongs there the query and the headers, and the rest is the
 * body, or the query where the method has none. Nothing and empty texts are left out, a list repeats its key.
 */
export function httpCall({ name, tool: { config }, args, plain, withSecrets }: Call): JsonObject {
  const asText = (value: Json | undefined): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const method = (asText(config["method"]) || "GET").toUpperCase();
  const isBodiless = ["GET", "HEAD", "DELETE", "OPTIONS"].includes(method);
  const places = (config["places"] ?? {}) as JsonObject;
  const headers: Record<string, Json> = { ...withSecrets((config["headers"] ?? {}) as JsonObject) };
  const query: string[] = [];
  const body: [string, Json][] = [];
  let url = asText(config["url"]) + asText(config["pathTemplate"]);
  for (const [key, value] of Object.entries(args)) {
    const place = places[key];
    if (url.includes(`{${key}}`) && place !== "query") {
      url = url.split(`{${key}}`).join(encodeURIComponent(asText(value)));
    } else if (place === "header") {
      if (asText(value) !== "") headers[key] = plain(asText(value));
    } else if (isBodiless || place === "query") {
      const texts = (Array.isArray(value) ? value : [value]).map(asText).filter((text) => text !== "");
      query.push(...texts.map((text) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`));
    } else {
      body.push([key, value]);
    }
  }
  const [base = "", ...fragment] = url.split("#");
  const joined = query.length === 0 ? base : `${base}${base.includes("?") ? "&" : "?"}${query.join("&")}`;
  return {
    name,
    type: "HTTP",
    inputParameters: {
      ...(config["outboundPolicy"] === undefined ? {} : { outboundPolicy: config["outboundPolicy"] }),
      http_request: {
        uri: [joined, ...fragment].join("#"),
        method,
        headers,
        accept: config["accept"] ?? "application/json",
        contentType: config["contentType"] ?? "application/json",
        connectionTimeOut: 30000,
        readTimeOut: 30000,
        ...(isBodiless ? {} : { body: plain(Object.fromEntries(body)) }),
      },
    },
  };
}
