import type { LucideIcon } from "lucide-react";
import type { ApiRequest } from "../api/client.ts";
import type { Execution, JsonObject, TaskState } from "../api/types.ts";

/** What an action is about: an execution, its tasks, and one of them where the action is about a task. */
export type Subject = {
  readonly execution: Execution;
  readonly tasks: readonly TaskState[];
};

export type TaskSubject = Subject & { readonly task: TaskState; readonly input: JsonObject };
export type EntrySubject = Subject & { readonly ref: string };

/** What a person fills in before it is done. JSON fields hold text until it is sent. */
export type ActionField<S> = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: "text" | "flag" | "json" | { readonly options: readonly string[] };
  readonly initial: (subject: S) => string;
};

export type Values = Readonly<Record<string, string>>;

/** Something that can be done, once: buttons, menus and the command palette show the same one. */
export type Action<S> = {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
  /** Why it cannot be done now; undefined when it can. */
  readonly obstacle: (subject: S) => string | undefined;
  /** What will happen, a sentence each. */
  readonly preview: (subject: S) => readonly string[];
  readonly fields: readonly ActionField<S>[];
  /** Throws when a field cannot be read. */
  readonly toRequest: (subject: S, values: Values) => ApiRequest;
  /** Said when it is done. */
  readonly done: string;
};

/** The object written in a JSON field; empty text is an empty object. */
export function readObject(values: Values, name: string): JsonObject {
  const text = values[name] ?? "";
  if (text.trim() === "") return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`Expected ${name} to be a JSON object`);
  }
  return value as JsonObject;
}

/** "a, b, c and 12 more" */
export function listNames(names: readonly string[]): string {
  const most = 4;
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}
