import type { Json } from "../json.ts";
import type { RawJson } from "./raw-json.ts";

/** Something a path can enter without materialising it: a task, a loop's output, a join's output. */
export interface Lazy {
  readonly lazy: true;
  /** The member of that name; undefined when there is none (null is a value). */
  get(key: string): Node | undefined;
  /** All of it. */
  whole(): Json | RawJson;
}

export type Node = Json | RawJson | Lazy;

/** What expressions are resolved against. */
export interface Scope {
  /** `workflow`, or a task by reference name (also with `__<n>` suffixes); undefined when there is none. */
  root(name: string): Node | undefined;
  /** A constant by its bare name; undefined when it is unset or not on the allow-list. */
  constant(name: string): string | undefined;
  /** `workflow.env.NAME`. */
  environment(name: string): Json | undefined;
  /** What a path gives that crosses a missing field: the object that lacks it, or null. */
  readonly missing: "parent" | "null";
}

/** Caller data cannot pass for one: JSON holds no functions. */
export function isLazy(node: Node): node is Lazy {
  return typeof node === "object" && node !== null && "get" in node && typeof node.get === "function";
}

/** The node as a value, materialised but not parsed. */
export function wholeOf(node: Node): Json | RawJson {
  return isLazy(node) ? node.whole() : node;
}
