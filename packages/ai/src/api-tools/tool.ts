import type { JsonObject } from "@downbeat/engine";

/** One operation of an API, as a model is told of it. */
export type ApiTool = {
  readonly name: string;
  readonly description: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly inputSchema: JsonObject;
};

export type ApiDescription = {
  readonly tools: readonly ApiTool[];
  readonly baseUrl: string;
  readonly format: "openapi3" | "swagger2" | "postman";
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  readonly isRequired: boolean;
  readonly schema: JsonObject;
};

/** A schema of all that an operation takes; each property says where it goes. */
export function inputSchemaOf(parameters: readonly Parameter[]): JsonObject {
  // Names are a stranger's: one may be that of a prototype.
  const properties = Object.fromEntries(
    parameters.map(({ name, in: place, schema }) => [name, { ...schema, in: place }]),
  );
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: "object", properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) };
}

/** `GET /pets/{petId}` is get_pets_petId. */
export const slugOf = (method: string, path: string): string =>
  `${method.toLowerCase()}_${path.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")}`;
