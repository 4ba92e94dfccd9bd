import type { Client, Json } from "../support/client.ts";

export type DocumentedOperation = Json & {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
};

export type DocumentedAnswer = { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> };

export type OpenApiDocument = Json & {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};

/** The document as the server gives it. */
export async function loadDocument(client: Client): Promise<OpenApiDocument> {
  const response = await fetch(`${rootOf(client)}/api-docs`, { signal: AbortSignal.timeout(15_000) });
  return (await response.json()) as OpenApiDocument;
}

/** The server's address, without /api. */
export const rootOf = (client: Client): string => client.base.replace(/\/api$/, "");

export type Place = { readonly method: string; readonly path: string; readonly operation: DocumentedOperation };

export const operationsOf = (document: OpenApiDocument): Place[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Every value inside, itself included, with the way to it. */
export function* walk(value: unknown, way: string): Generator<readonly [string, unknown]> {
  yield [way, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) yield* walk(member, `${way}/${key}`);
}
