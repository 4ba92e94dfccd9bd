import type { TaskType } from "@downbeat/engine";
import type { Api } from "./http/api.ts";
import type { Executor } from "./runtime/outside-work.ts";
import type { Runtime } from "./runtime/runtime.ts";

/** A package that adds to the server without the server knowing it: task types, who runs them, and routes. */
export type Extension = {
  readonly name: string;
  readonly taskTypes?: readonly TaskType[];
  /** Called once, when everything it may use is there and nothing runs yet. */
  readonly open?: (runtime: Runtime) => OpenExtension;
};

export type OpenExtension = {
  /** Who runs those of its task types that work outside the transition. */
  readonly executors?: readonly Executor[];
  /** Declares routes under `/api`, each group under its heading in the documentation. */
  readonly routes?: (of: (tag: string) => Api) => void;
  /** Before the first request and the first task. */
  readonly start?: () => Promise<void>;
  /** After the last one. */
  readonly close?: () => Promise<void>;
};
