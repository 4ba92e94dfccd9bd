import type { Head } from "@downbeat/engine";
import type { Clause, WorkflowField } from "@downbeat/store";
import type { Runtime } from "../runtime/runtime.ts";
import { matches } from "../search/matches.ts";
import { Broadcast } from "./broadcast.ts";
import { type EventStream, eventText } from "./event-stream.ts";
import { lastTimeOf, taskEvent, tokenEvent, withTouched, workflowEvent } from "./execution-events.ts";

/**
 * Commits reach the disk a moment after the time they carry: whoever comes back is told of this much more than asked
 * for. Events say how things stand, so hearing one twice does no harm.
 */
const OVERLAP_MS = 10_000;
const MOST_REPEATED = 1000;

export type Query = {
  readonly text: string;
  readonly where: readonly Clause<WorkflowField>[];
  readonly includeTasks: boolean;
};

/** Who watches which executions. */
export class WorkflowStreams {
  readonly #runtime: Runtime;
  readonly #byExecution = new Map<string, { readonly broadcast: Broadcast; readonly watching: Promise<() => void> }>();
  readonly #byQuery = new Map<string, { readonly query: Query; readonly broadcast: Broadcast }>();
  #feed: Promise<() => void> | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    // Whoever watches comes back, says what it heard last, and is told what was missed.
    runtime.peers.onGap(() => {
      for (const { broadcast } of [...this.#byExecution.values(), ...this.#byQuery.values()]) broadcast.end();
    });
  }

  /** Every change of one execution and its tasks, after how they stand: all, or what changed since `lastEventId`. */
  async watchExecution(head: Head, stream: EventStream, lastEventId: number | undefined): Promise<void> {
    const { id } = head;
    // Watched first: what is committed while the past is read is not missed.
    await this.#watch(id, stream);
    stream.begin();
    const now = (await this.#runtime.loadHead(id)) ?? head;
    const since = lastEventId === undefined ? 0 : lastEventId - OVERLAP_MS;
    const tasks = await this.#runtime.store.executions.all(now);
    const changed = tasks.filter((task) => lastTimeOf(task) >= since).sort((a, b) => lastTimeOf(a) - lastTimeOf(b));
    stream.send(workflowEvent(now));
    await stream.sendAll(changed.values().map((task) => taskEvent(now, task)));
  }

  /** Resolves when nothing that is committed from now on is missed. */
  async #watch(id: string, stream: EventStream): Promise<void> {
    const known = this.#byExecution.get(id);
    if (known !== undefined) {
      known.broadcast.add(stream);
      await known.watching;
      return;
    }
    const broadcast = new Broadcast(() => {
      this.#byExecution.delete(id);
      endTokens();
      watching.then((end) => end()).catch(() => undefined);
    });
    const watching = this.#runtime.feed.watch(id, (committed) =>
      withTouched(this.#runtime, committed, ({ head, tasks, hasNewStatus }) => {
        const texts = tasks.map((task) => taskEvent(head, task));
        if (hasNewStatus) texts.push(workflowEvent(head));
        if (texts.length > 0) broadcast.send(texts.join(""));
      }),
    );
    const endTokens = this.#runtime.tokens.watch(id, (token) => broadcast.send(tokenEvent(token)));
    watching.catch(() => this.#byExecution.delete(id));
    this.#byExecution.set(id, { broadcast, watching });
    broadcast.add(stream);
    await watching;
  }

  /** Status changes of the executions that match, and their tasks' where asked for. */
  async watchQuery(query: Query, stream: EventStream, lastEventId: number | undefined): Promise<void> {
    const key = `${query.includeTasks}${query.text}`;
    let watched = this.#byQuery.get(key);
    if (watched === undefined) {
      const broadcast = new Broadcast(() => {
        this.#byQuery.delete(key);
        if (this.#byQuery.size > 0) return;
        this.#feed?.then((end) => end()).catch(() => undefined);
        this.#feed = undefined;
      });
      watched = { query, broadcast };
      this.#byQuery.set(key, watched);
    }
    watched.broadcast.add(stream);
    this.#feed ??= this.#watchAll();
    try {
      await this.#feed;
    } catch (error) {
      this.#feed = undefined;
      throw error;
    }
    stream.begin();
    if (lastEventId !== undefined) await this.#repeatSince(query, stream, lastEventId - OVERLAP_MS);
  }

  #watchAll(): Promise<() => void> {
    return this.#runtime.feed.watchAll((committed) =>
      withTouched(this.#runtime, committed, ({ head, tasks, hasNewStatus }) => {
        const plan = this.#runtime.definitions.findPlan(head.defHash);
        const workflowText = lazy(() => workflowEvent(head));
        const taskTexts = lazy(() => tasks.map((task) => taskEvent(head, task)).join(""));
        for (const { query, broadcast } of this.#byQuery.values()) {
          if (!hasNewStatus && !query.includeTasks) continue;
          if (!matches(query.where, head, plan?.def)) continue;
          if (query.includeTasks && tasks.length > 0) broadcast.send(taskTexts());
          if (hasNewStatus) broadcast.send(workflowText());
        }
      }),
    );
  }

  async #repeatSince({ where }: Query, stream: EventStream, since: number): Promise<void> {
    for (const field of ["startTime", "updateTime"] as const) {
      const { totalHits, results } = await this.#runtime.store.search.workflows({
        where: [...where, { field, op: ">=", values: [since] }],
        text: [],
        sort: [{ field, order: "ASC" }],
        start: 0,
        size: MOST_REPEATED,
      });
      // More than anyone wants to hear again: whoever watches should look afresh.
      if (totalHits > MOST_REPEATED) {
        stream.send(eventText("reset", since, JSON.stringify({ changed: totalHits })));
        return;
      }
      for (const { head } of results) stream.send(workflowEvent(head));
    }
  }
}

/** Made at the first call, then kept. */
function lazy(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
