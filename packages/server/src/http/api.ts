import type { Schema } from "@downbeat/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler, RouteOptions } from "fastify";
import { type Parameters, readParameters } from "./parameters.ts";
import type { Reply } from "./reply.ts";
import type { ShortcutAnswer } from "./shortcut/shortcut.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How the route answers on the shortcut; without it, it is not for the shortcut. */
    readonly shortcutAnswer?: ShortcutAnswer;
  }
}

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
  readonly contentType: string | undefined;
};

type Handle<Path extends string, Query, Body> = (call: Call<Path, Query, Body>, reply: Reply) => Reply | Promise<Reply>;

/** For what cannot be said with a call and a reply: headers, and bodies that come or go as a stream. */
type FullHandle<Path extends string, Query, Body> = (
  call: Call<Path, Query, Body> & { readonly request: FastifyRequest },
  reply: FastifyReply,
) => Reply | Promise<Reply>;

/** What a body holds and how it is read. */
export type Body<T> = {
  readonly schema: Schema;
  readonly description: string;
  readonly required: boolean;
  readonly contentType?: string;
  readonly read: (body: unknown) => T;
  /** Sees the bytes before they are collected, and may take some of them away. Small bodies on the shortcut come whole. */
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

  /** A route that sees the request itself, and the reply as Fastify knows it. */
  withRequest<Path extends string, Q, B>(
    method: Method,
    path: Path,
    declaration: Declaration<Q, B>,
    handle: FullHandle<Path, Q, B>,
  ): void {
    const read = reader<Path, Q, B>(declaration);
    this.#add(method, path, declaration, { handler: (request, reply) => handle({ ...read(request), request }, reply) });
  }

  /** Looking is not taking: for routes whose GET changes something. Declared before GET, which would bring its own. */
  head(path: string, answer: (reply: Reply) => Reply): void {
    this.#app.head(path, (_request, reply) => answer(reply));
  }

  #declare<Path extends string, Q, B>(
    method: Method,
    path: Path,
    declaration: Declaration<Q, B>,
    handle: Handle<Path, Q, B>,
  ): void {
    const read = reader<Path, Q, B>(declaration);
    const answer = (given: Given, reply: Reply) => handle(read(given), reply);
    this.#add(method, path, declaration, { handler: answer, config: { shortcutAnswer: answer } });
  }

  #add<Q, B>(
    method: Method,
    path: string,
    declaration: Declaration<Q, B>,
    options: Pick<RouteOptions, "handler" | "config">,
  ): void {
    this.#operations.push({
      ...(declaration as Declaration<unknown, unknown>),
      method,
      path: this.#app.prefix + path,
      tag: this.#tag,
    });
    const { divide, mostBytes } = declaration.body ?? {};
    this.#app.route({
      method,
      url: path,
      ...(divide === undefined ? {} : { preParsing: divide }),
      ...(mostBytes === undefined ? {} : { bodyLimit: mostBytes }),
      ...options,
    });
  }
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

type Given = Pick<FastifyRequest, "params" | "query" | "body"> & {
  readonly headers: { readonly "content-type"?: string | undefined };
};

/** Reads what a declaration says of what was given. */
function reader<Path extends string, Q, B>({ query, body }: Declaration<Q, B>): (given: Given) => Call<Path, Q, B> {
  const parameters = query ?? (noParameters as Parameters<Q>);
  const readBody = body?.read;
  return (given) => ({
    params: given.params as Call<Path, Q, B>["params"],
    query: readParameters(parameters, given.query),
    body: readBody === undefined ? (undefined as B) : readBody(given.body),
    contentType: given.headers["content-type"],
  });
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
