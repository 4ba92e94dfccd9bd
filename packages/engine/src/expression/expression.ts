import type { Json } from "../json.ts";
import { ExpressionFailure } from "./expression-failure.ts";
import { parsePath, pathRoots } from "./parse-path.ts";
import type { Path } from "./path.ts";
import { RawJson } from "./raw-json.ts";
import { readFrom, readJsonText, readPath } from "./read-path.ts";
import { renderText } from "./render-text.ts";
import type { Scope } from "./scope.ts";
import { splitText, unescapeText } from "./split-text.ts";

/** What stands between `${` and `}`, compiled. */
export type Expression =
  /** Known without looking: blank is empty text, a syntax error is null, a secret reference is its own literal. */
  | { readonly kind: "fixed"; readonly value: Json | RawJson }
  | { readonly kind: "path"; readonly path: Path }
  /** A bare name: a constant comes first, then a root. */
  | { readonly kind: "name"; readonly name: string; readonly path: Path }
  | { readonly kind: "environment"; readonly name: string; readonly path: Path }
  /** An expression inside the expression: its text is known only when resolved. */
  | { readonly kind: "dynamic"; readonly text: Text; readonly isSecret: boolean };

/** A string with expressions: what to copy, and what to resolve and render. */
export type Text = readonly (string | Expression)[];

/** Told of each secret reference in rendered text: its literal, and where it starts. */
type OnSecret = (literal: string, at: number) => void;

/** Expressions nested deeper than this are null; no one writes them, and they would make compiling quadratic. */
const maxNesting = 16;

/** Names that stay in place as they were written when they have no value. */
const reservedConstants: ReadonlySet<string> = new Set(["CPEWF_TASK_ID", "NETFLIX_ENV", "NETFLIX_STACK"]);

const secretPrefix = "workflow.secrets.";

/** What a value must look like to become part of a secret's name: it must not reach out of the name it is put in. */
const namePart = /^[\w-]+$/;

export function compileText(text: string): Text {
  return compilePieces(text, 0);
}

export function resolveExpression(expression: Expression, scope: Scope): Json | RawJson {
  switch (expression.kind) {
    case "fixed":
      return expression.value;
    case "path":
      return readPath(expression.path, scope);
    case "name":
      return resolveName(expression.name, expression.path, scope);
    case "environment":
      return resolveEnvironment(expression.name, expression.path, scope);
    case "dynamic":
      return resolveDynamic(expression.text, expression.isSecret, scope);
  }
}

/** Twice what the largest payload may hold; a text of any length would take the memory first. */
const LONGEST_TEXT = 20_000_000;

/**
 * The text with every expression rendered, and `$${` turned into `${` afterwards, in what came from data too.
 * Secret references are copied as they are: nothing next to them can change them or complete one.
 */
export function resolveText(text: Text, scope: Scope, onSecret?: OnSecret): string {
  let done = "";
  let open = "";
  for (const part of text) {
    const value = typeof part === "string" ? part : resolveExpression(part, scope);
    if (open.length + done.length > LONGEST_TEXT)
      throw new ExpressionFailure(
        `Expected expressions to make a text of at most ${LONGEST_TEXT} characters, got more`,
      );
    if (!(value instanceof RawJson) || value.secrets.length === 0 || typeof value.value !== "string") {
      open += renderText(value);
      continue;
    }
    done += unescapeText(open);
    open = "";
    for (const secret of value.secrets) onSecret?.(secret.text, done.length + (secret.at ?? 0));
    done += value.value;
  }
  return done + unescapeText(open);
}

/** Roots the expression is known to read before it is resolved. */
export function expressionRoots(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case "path":
    case "name":
      return pathRoots(expression.path);
    case "dynamic":
      return expression.text.flatMap((part) => (typeof part === "string" ? [] : expressionRoots(part)));
    case "fixed":
    case "environment":
      return [];
  }
}

function compilePieces(text: string, nesting: number): Text {
  return splitText(text).map((piece) => (piece.kind === "text" ? piece.text : compileExpression(piece.text, nesting)));
}

function compileExpression(inner: string, nesting: number): Expression {
  if (!inner.includes("${")) return compilePath(inner, "secrets");
  if (nesting >= maxNesting) return { kind: "fixed", value: null };
  const text = compilePieces(inner, nesting + 1);
  if (text.every((part) => typeof part === "string")) return compilePath(unescapeText(inner), "secrets");
  return { kind: "dynamic", text, isSecret: inner.startsWith(secretPrefix) };
}

function compilePath(inner: string, allowed: "secrets" | "values"): Expression {
  if (inner.trim() === "") return { kind: "fixed", value: "" };
  const path = parsePath(inner);
  if (path === undefined) return { kind: "fixed", value: null };
  const [root, section, name] = path.plain;
  if (root === "workflow" && section === "secrets") {
    const isReference = allowed === "secrets" && typeof name === "string";
    return { kind: "fixed", value: isReference ? secretReference(`\${${inner}}`) : null };
  }
  if (root === "workflow" && section === "env" && typeof name === "string") return { kind: "environment", name, path };
  const isBare = path.plain.length === 1 && path.rest.length === 0 && typeof root === "string";
  return isBare ? { kind: "name", name: root, path } : { kind: "path", path };
}

function secretReference(literal: string): RawJson {
  return new RawJson(JSON.stringify(literal), [{ path: [], text: literal }]);
}

function resolveName(name: string, path: Path, scope: Scope): Json | RawJson {
  const constant = scope.constant(name);
  if (constant !== undefined) return constant;
  return reservedConstants.has(name) ? `\${${name}}` : readPath(path, scope);
}

function resolveEnvironment(name: string, path: Path, scope: Scope): Json | RawJson {
  const value = scope.environment(name) ?? null;
  return typeof value === "string" ? readJsonText(value, path) : readFrom(value, path, 3, scope);
}

/** Data may complete the name of a secret where the definition says so, but never turn a path into a secret. */
function resolveDynamic(text: Text, isSecret: boolean, scope: Scope): Json | RawJson {
  if (!isSecret) return resolveExpression(compilePath(resolveText(text, scope), "values"), scope);
  let inner = "";
  for (const part of text) {
    const isData = typeof part !== "string";
    const rendered = isData ? renderText(resolveExpression(part, scope)) : part;
    if (isData && !namePart.test(rendered)) return null;
    inner += rendered;
  }
  return resolveExpression(compilePath(inner, "secrets"), scope);
}
