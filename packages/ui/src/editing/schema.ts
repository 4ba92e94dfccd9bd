import { useQuery } from "@tanstack/react-query";
import type { Steps } from "./json-places.ts";

/** As much of JSON Schema as the interface's description uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
};

export type Schemas = Readonly<Record<string, Schema>>;

/** The schemas of what the interface takes, as the server describes itself. */
export function useSchemas(): Schemas {
  const { data } = useQuery({
    queryKey: ["schemas"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/api-docs", { signal });
      const { components } = (await response.json()) as { components: { schemas: Schemas } };
      return components.schemas;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? none;
}

const none: Schemas = {};

/** The schema of the value at the end of the steps, with references followed; undefined where anything goes. */
export function schemaAt(schemas: Schemas, name: string, steps: Steps): Schema | undefined {
  let schema = schemas[name];
  for (const step of steps) {
    schema = within(follow(schemas, schema), step);
    if (schema === undefined) return undefined;
  }
  return follow(schemas, schema);
}

function within(schema: Schema | undefined, step: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties, items } = schema;
  if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step];
  if (typeof additionalProperties === "object") return additionalProperties;
  return items;
}

function follow(schemas: Schemas, schema: Schema | undefined): Schema | undefined {
  const first = schema?.anyOf?.[0] ?? schema;
  const name = first?.$ref?.split("/").at(-1);
  return name === undefined ? first : schemas[name];
}
