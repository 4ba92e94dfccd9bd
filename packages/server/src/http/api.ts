import type { Schema } from "@downbeat/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from "fastify";
import { type Parameters, readParameters } from "./parameters.ts";

/** The names in a path's `:parts`. */
type PathParts<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParts<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Call<Path extends string, Query, Body> = {
  readonly params: { readonly [Name in PathParts<Path>]: string };
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
};

type Handle<Path extends string, Query, Body> = (
  call: Call<Path, Query, Body>,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

/** What a body holds and how it is read. */
export type Body<T> = {
  readonly schema: Schema;
  readonly description: string;
  readonly required: boolean;
  readonly contentType?: string;
  readonly read: (body: unknown) => T;
  /** Sees the bytes before they are collected, and may take some of them away. */
  readonly divide?: preParsingHookHandler;
  /** In place of the limit for all bodies. */
  readonly mostBytes?: number;
};

export type Answer = { readonly description: string; readonly contentType?: string; readonly schema?: Schema };

/** What a route takes and gives. The same declaration reads the request and writes the documentation. */
export type Declaration<Query, B> = {
  readonly summary: string;
  readonly description?: string;
  readonly query?: Parameters<Query>;
  readonly body?: Body<B>;
  /** By status. Errors need no mention: their body is the same everywhere. */
  readonly answers: Readonly<Record<number, Answer>>;
};

export type DeclaredRoute = Declaration<unknown, unknown> & {
  readonly method: string;
  /** With `:parts`. */
  readonly path: string;
  readonly tag: string;
};

const noParameters: Parameters<unknown> = {};

/** Declares the routes of one part of the interface. */
export class Api {
  readonly #app: FastifyInstance;
  readonly #tag: string;
  readonly #operations: DeclaredRoute[];

  constructor(app: FastifyInstance, tag: string, operations: DeclaredRoute[]) {
    this.#app = app;
    this.#tag = tag;
    this.#operations = operations;
  }

  get<Path extends string, Q, B>(path: Path, declaration: Declaration<Q, B>, handle: Handle<Path, Q, B>): void {
    this.#declare("GET", path, declaration, handle);
  }

  post<Path extends string, Q, B>(path: Path, declaration: Declaration<Q, B>, handle: Handle<Path, Q, B>): void {
    this.#declare("POST", path, declaration, handle);
  }

  put<Path extends string, Q, B>(path: Path, declaration: Declaration<Q, B>, handle: Handle<Path, Q, B>): void {
    this.#declare("PUT", path, declaration, handle);
  }

  delete<Path extends string, Q, B>(path: Path, declaration: Declaration<Q, B>, handle: Handle<Path, Q, B>): void {
    this.#declare("DELETE", path, declaration, handle);
  }

  /** Looking is not taking: for routes whose GET changes something. Declared before GET, which would bring its own. */
  head(path: string, answer: (reply: FastifyReply) => FastifyReply): void {
    this.#app.head(path, (_request, reply) => answer(reply));
  }

  #declare<Path extends string, Q, B>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: Path,
    declaration: Declaration<Q, B>,
    handle: Handle<Path, Q, B>,
  ): void {
    this.#operations.push({
      ...(declaration as Declaration<unknown, unknown>),
      method,
      path: this.#app.prefix + path,
      tag: this.#tag,
    });
    const parameters = declaration.query ?? (noParameters as Parameters<Q>);
    const readBody = declaration.body?.read;
    this.#app.route({
      method,
      url: path,
      ...(declaration.body?.divide === undefined ? {} : { preParsing: declaration.body.divide }),
      ...(declaration.body?.mostBytes === undefined ? {} : { bodyLimit: declaration.body.mostBytes }),
      handler: (request, reply) =>
        handle(
          {
            params: request.params as Call<Path, Q, B>["params"],
            query: readParameters(parameters, request.query),
            body: readBody === undefined ? (undefined as B) : readBody(request.body),
            request,
          },
          reply,
        ),
    });
  }
}

export const json = (schema: Schema, description: string): Answer => ({
  description,
  contentType: "application/json",
  schema,
});

export const plainText = (description: string): Answer => ({
  description,
  contentType: "text/plain",
  schema: { type: "string" },
});

/** Status 200 or 204 without a body. */
export const nothing = (description = "Done"): Answer => ({ description });
