import { createHash } from "node:crypto";
import type { NodeState, Nodes, QueuedWork, Reading, Store, Word } from "@downbeat/store";
import type { Logger } from "../log.ts";
import type { Token } from "../streams/token-feed.ts";
import type { LastPoll } from "./poll-data.ts";

/** What a node does when it hears from another, or when another is gone. */
export type PeerListener = {
  /** There may be ready work in this queue. */
  readonly onReady: (queue: string) => void;
  /** A slot of this limit came free. */
  readonly onFreeSlot: (name: string) => void;
  /** Nobody waits any more for the work that this node may be doing for this task. */
  readonly onCancel: (id: string, no: number) => void;
  /** An execution that is watched here was written elsewhere. */
  readonly onCommitted: (id: string, hasNewStatus: boolean, nos: readonly number[]) => void;
  /** Someone at another node wants to hear of an execution's tokens, or no longer. */
  readonly onTokenWatch: (from: string, id: string, isWatched: boolean) => void;
  readonly onToken: (from: string, number: number, token: Token) => void;
  /** Someone polls at another node. */
  readonly onPoll: (poll: LastPoll) => void;
  /** Events that a node which is gone has left undelivered are this one's to deliver: they are in the outbox. */
  readonly onInherited: () => void;
  /** Something may have been missed: everything that waits for word looks for itself. */
  readonly onGap: () => void;
  readonly describe: () => string;
};

/** Something that every node holds in memory: read again when another node has changed it. */
type Shared = (name: string | undefined) => Promise<void>;

type TopicListener = (topic: string, name: string | undefined) => void;

/** Task numbers in one word. */
const MOST_NUMBERS = 300;
/** Words can be lost while the database is away; whoever waits for one looks for itself this often. */
const LOOK_MS = 5000;

/** The other servers on the same store. Where there are none, nothing here costs anything. */
export class Peers {
  readonly #store: Store;
  readonly #nodes: Nodes | undefined;
  readonly #log: Logger;
  readonly #shared = new Map<string, Shared>();
  readonly #onChange: (() => void)[] = [];
  readonly #onGap: (() => void)[] = [];
  readonly #onTopic: TopicListener[] = [];
  #look: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: Store, log: Logger) {
    this.#store = store;
    this.#nodes = store.nodes;
    this.#log = log;
  }

  /** Nobody else writes to the store: what is in memory is how things stand. */
  get isAlone(): boolean {
    return this.#nodes?.isAlone ?? true;
  }

  /** The store's way to hand out work where several servers ask; undefined while this one is alone. */
  get takeReady(): Nodes["takeReady"] | undefined {
    const nodes = this.#nodes;
    return nodes === undefined || nodes.isAlone ? undefined : (taking) => nodes.takeReady(taking);
  }

  /** Work whose timer is due; what one server is given no other is. */
  takeDue(now: number, limit: number): Reading<readonly QueuedWork[]> {
    const nodes = this.#nodes;
    return nodes === undefined || nodes.isAlone ? this.#store.queues.due(now, limit) : nodes.takeDue(now, limit);
  }

  list(): readonly NodeState[] {
    return this.#nodes?.list() ?? [];
  }

  get self(): string {
    return this.#nodes?.self ?? "";
  }

  async join(listener: PeerListener): Promise<void> {
    if (this.#nodes === undefined) return;
    await this.#nodes.join({
      hear: (word, from) => this.#hear(word, from, listener),
      onChange: () => {
        if (this.#isClosed) return;
        for (const changed of this.#onChange) changed();
      },
      onGap: () => this.#lookAtAll(listener),
      inherit: (queues) => {
        if (this.#isClosed) return;
        listener.onInherited();
        for (const queue of queues) {
          listener.onReady(queue);
          this.tellReady(queue);
        }
      },
      describe: listener.describe,
    });
    this.#look = setInterval(() => listener.onGap(), LOOK_MS);
    this.#look.unref();
  }

  /** Whatever the others say from now on is for them alone. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#look);
  }

  /** Servers came or went. */
  onChange(listener: () => void): void {
    this.#onChange.push(listener);
  }

  /** Words of others were missed: what they told of is to be found out in another way. */
  onGap(listener: () => void): void {
    this.#onGap.push(listener);
  }

  /** From now on `reload` is called when another node has changed what goes by this topic. */
  share(topic: string, reload: Shared): void {
    this.#shared.set(topic, reload);
  }

  /** Calls back when what goes by a topic was changed, here or elsewhere; without a name it may be any of it. */
  onTopic(listener: TopicListener): void {
    this.#onTopic.push(listener);
  }

  /** Resolves when every node has read it again: whoever is answered then finds it at any of them. */
  async changed(topic: string, name = ""): Promise<void> {
    this.#tellHere(topic, name);
    if (!this.isAlone) await this.#nodes?.tellAndWait(["changed", topic, name]);
  }

  /** The same for what nobody waits for. */
  tellChanged(topic: string, name: string): void {
    this.#nodes?.tell(["changed", topic, name]);
  }

  tellReady(queue: string): void {
    this.#nodes?.tell(["ready", queue]);
  }

  tellPoll({ queueName, domain = "", workerId, lastPollTime }: LastPoll): void {
    this.#nodes?.tell(["polled", queueName, domain, workerId, lastPollTime]);
  }

  tellFreeSlot(name: string): void {
    this.#nodes?.tell(["slot", name]);
  }

  tellCancel(id: string, no: number): void {
    this.#nodes?.tell(["cancel", id, no]);
  }

  tellCommitted(id: string, hasNewStatus: boolean, nos: readonly number[]): void {
    for (let at = 0; at === 0 || at < nos.length; at += MOST_NUMBERS)
      this.#nodes?.tell(["committed", id, hasNewStatus, ...nos.slice(at, at + MOST_NUMBERS)]);
  }

  tellTokenWatch(id: string, isWatched: boolean, number: number): void {
    this.#nodes?.tell(["tokens", id, isWatched, number]);
  }

  tellToken(number: number, { executionId, taskId, referenceTaskName, kind, delta }: Token): void {
    this.#nodes?.tell(["token", executionId, number, taskId, referenceTaskName, kind, delta]);
  }

  /** Resolves when commits of other nodes will be told of. */
  async watch(id: string): Promise<void> {
    await this.#nodes?.watch(id);
  }

  unwatch(id: string): void {
    this.#nodes?.unwatch(id);
  }

  /**
   * This node's place in line for a piece of work that one node should do; 0 is first. All nodes agree, as far as they
   * agree on who is there.
   */
  rank(work: string): number {
    if (this.isAlone) return 0;
    const order = this.list()
      .map(({ name }) => ({ name, weight: createHash("sha1").update(`${name}\n${work}`).digest("hex") }))
      .sort((one, other) => (one.weight < other.weight ? -1 : 1));
    return Math.max(
      0,
      order.findIndex(({ name }) => name === this.self),
    );
  }

  async #hear([kind, first, second, ...rest]: Word, from: string, listener: PeerListener): Promise<void> {
    if (this.#isClosed) return;
    switch (kind) {
      case "ready":
        return listener.onReady(String(first));
      case "slot":
        return listener.onFreeSlot(String(first));
      case "cancel":
        return listener.onCancel(String(first), Number(second));
      case "committed":
        return listener.onCommitted(String(first), second === true, rest.map(Number));
      case "polled":
        return listener.onPoll({
          queueName: String(first),
          ...(second === "" ? {} : { domain: String(second) }),
          workerId: String(rest[0]),
          lastPollTime: Number(rest[1]),
        });
      case "tokens":
        return listener.onTokenWatch(from, String(first), second === true);
      case "token": {
        const [taskId, referenceTaskName, kindOfToken, delta] = rest.map(String);
        return listener.onToken(from, Number(second), {
          executionId: String(first),
          taskId: taskId ?? "",
          referenceTaskName: referenceTaskName ?? "",
          kind: kindOfToken === "reasoning" ? "reasoning" : "text",
          delta: delta ?? "",
        });
      }
      case "changed":
        return await this.#reload(String(first), String(second));
    }
  }

  #tellHere(topic: string, name: string | undefined): void {
    for (const listener of this.#onTopic) listener(topic, name === "" ? undefined : name);
  }

  async #reload(topic: string, name: string | undefined): Promise<void> {
    try {
      await this.#shared.get(topic)?.(name === "" ? undefined : name);
      this.#tellHere(topic, name);
    } catch (error) {
      this.#log.error("What another node changed could not be read", { topic, error: String(error) });
    }
  }

  #lookAtAll(listener: PeerListener): void {
    if (this.#isClosed) return;
    for (const topic of this.#shared.keys()) void this.#reload(topic, undefined);
    for (const missed of this.#onGap) missed();
    listener.onGap();
  }
}
