import type { JsonObject, TaskType } from "@downbeat/engine";
import type { Effect, Message } from "./events/actions.ts";
import type { Api } from "./http/api.ts";
import type { Executor } from "./runtime/outside-work.ts";
import type { Belongings } from "./runtime/removals.ts";
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
  /** What event handlers may do beyond what the server knows, by the action's name. Says what to do; does nothing yet. */
  readonly eventActions?: Readonly<Record<string, EventActionEffect>>;
  /** Declares routes under `/api`, each group under its heading in the documentation. */
  readonly routes?: (of: (tag: string) => Api) => void;
  /** Things of executions that it keeps itself: they go when an execution is removed. */
  readonly belongings?: Belongings;
  /** Before the first request and the first task. */
  readonly start?: () => Promise<void>;
  /** After the last one. */
  readonly close?: () => Promise<void>;
};

/** An action's effect, from the action with the message's values filled in. Throws with the reason why there is none. */
export type EventActionEffect = (action: JsonObject, message: Message) => Effect | Promise<Effect>;
