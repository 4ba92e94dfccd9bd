import { useEffect, useMemo, useSyncExternalStore } from "react";
import { path, toUrl } from "./client.ts";
import { listen, type StreamState } from "./server-events.ts";
import type { Json, JsonObject } from "./types.ts";

/** Something that happened in a run of an agent, or in a run inside it. */
export type AgentEvent = {
  readonly id: number;
  readonly type: string;
  readonly executionId: string;
  readonly timestamp: number;
  readonly taskId?: string;
  readonly taskRefName?: string;
  readonly content?: string;
  readonly toolName?: string;
  readonly args?: JsonObject;
  readonly result?: Json;
  readonly target?: string;
  readonly guardrailName?: string;
  readonly pendingTool?: PendingTool;
  readonly output?: JsonObject;
  readonly messagesBefore?: number;
  readonly messagesAfter?: number;
};

/** What a person is asked. */
export type PendingTool = {
  readonly taskRefName?: string;
  readonly toolCalls?: readonly { readonly name: string | null; readonly args: JsonObject }[];
  readonly response_schema?: JsonObject;
  readonly input?: JsonObject;
};

/** What a model has said so far, while it says it. */
export type Saying = { readonly text: string; readonly reasoning: string };

type Token = { readonly taskId: string; readonly kind: string; readonly delta: string };

export type AgentFeed = {
  readonly stream: StreamState | "over";
  readonly events: readonly AgentEvent[];
  /** By the id of the task that asks the model. */
  readonly sayings: ReadonlyMap<string, Saying>;
};

/** Events are gathered this long before anyone is told: tokens come in hundreds a second. */
const GATHER_MS = 50;

/** Follows a run of an agent while mounted: from its beginning, however late one comes, to its end. */
export function useAgentFeed(id: string): AgentFeed & { readonly reload: () => void } {
  const feed = useMemo(() => new RunFeed(id), [id]);
  useEffect(() => {
    feed.open();
    return () => feed.close();
  }, [feed]);
  const current = useSyncExternalStore(feed.subscribe, feed.get);
  return useMemo(() => ({ ...current, reload: () => feed.open() }), [current, feed]);
}

const isEnd = ({ type, toolName }: AgentEvent): boolean =>
  type === "done" || (type === "error" && toolName === "workflow");

class RunFeed {
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #events: AgentEvent[] = [];
  #sayings = new Map<string, Saying>();
  #current: AgentFeed = { stream: "connecting", events: [], sayings: new Map() };

  constructor(id: string) {
    this.#id = id;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): AgentFeed => this.#current;

  open(): void {
    this.close();
    // What is shown stays until the new stream has told what there is.
    this.#events = [];
    this.#sayings = new Map();
    this.#stop = listen(toUrl({ path: path`/agent/stream/${this.#id}`, query: { tokens: true } }), {
      onState: (stream) => this.#publish({ stream }),
      onEvents: (heard) => {
        for (const { event, data } of heard) {
          if (event === "token") this.#say(data as Token);
          else this.#events.push(data as AgentEvent);
        }
        const last = this.#events.at(-1);
        // The server hangs up after the end: nobody needs to come back.
        if (last !== undefined && last.executionId === this.#id && isEnd(last)) this.#end();
        else this.#gather();
      },
    });
  }

  close(): void {
    this.#stop?.();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  #say({ taskId, kind, delta }: Token): void {
    const { text, reasoning } = this.#sayings.get(taskId) ?? { text: "", reasoning: "" };
    const said = kind === "text" ? { text: text + delta, reasoning } : { text, reasoning: reasoning + delta };
    this.#sayings.set(taskId, said);
  }

  #end(): void {
    this.close();
    this.#publish({ stream: "over", events: [...this.#events], sayings: new Map(this.#sayings) });
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#publish({ events: [...this.#events], sayings: new Map(this.#sayings) });
    }, GATHER_MS);
  }

  #publish(change: Partial<AgentFeed>): void {
    this.#current = { ...this.#current, ...change };
    for (const listener of this.#listeners) listener();
  }
}
