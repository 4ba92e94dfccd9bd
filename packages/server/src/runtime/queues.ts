import { claimedWork, type Limit, readyWork, type Work } from "@downbeat/engine";
import type { Nodes, QueuedWork, Store } from "@downbeat/store";
import type { Logger } from "../log.ts";
import type { Clock } from "./clock.ts";
import type { Peers } from "./peers.ts";

/** Work in someone's hands. */
export type Claim = { readonly id: string; readonly no: number; readonly work: Work };

export type PollOptions = {
  readonly count: number;
  readonly timeoutMs: number;
  readonly workerId: string;
  /** Set for the server's own executors: such claims are given back when the server is gone. */
  readonly node?: string;
  /** Tells whoever waits that its asker is gone; gives back how to stop telling. */
  readonly onHangUp?: (giveUp: () => void) => () => void;
};

type Poller = PollOptions & {
  readonly resolve: (claims: readonly Claim[]) => void;
  timer: NodeJS.Timeout | undefined;
  forgetHangUp: (() => void) | undefined;
  /** A commit is under way that hands it work: its timeout waits for the outcome. */
  isReserved: boolean;
  isLate: boolean;
};

type Queue = {
  readonly name: string;
  /** Ready work in hand-out order; at most `window` of it. */
  items: QueuedWork[];
  /** The store may hold ready work that is not in `items`. */
  hasMore: boolean;
  readonly pollers: Poller[];
  /** Task definitions that are at their limit: their work stays where it is until a slot comes free. */
  readonly blocked: Set<string>;
  isPumping: boolean;
  /** The store is being asked for more. */
  refill: Promise<void> | undefined;
  /** Polls under way. */
  polls: number;
};

type QueueOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly window: number;
  readonly peers: Peers;
  /** A claim was committed. */
  readonly onClaim: (claim: Claim, isWatchedElsewhere: boolean) => void;
  /** Work was made ready again by a commit of its own. */
  readonly onReady: (item: QueuedWork) => void;
};

const RETRY_MS = 1000;
const MOST_QUEUES = 10_000;
/** No definition goes by it. */
const ANY_LIMIT = "";
/** Pieces of work that are asked for at once. */
const MOST_TAKEN = 500;
/** How far the window may stretch over work that limits hold back, to find work that may go. */
const MOST_WINDOWS = 10;

/**
 * Ready work by queue, and who waits for it. Memory holds a bounded window of each queue, refilled from the store; a
 * waiting poller is woken by the commit that makes work ready. A poll is a claim: one narrow row, on disk before the
 * worker hears of it.
 */
export class Queues {
  readonly #options: QueueOptions;
  readonly #queues = new Map<string, Queue>();
  /** Claims on their way to disk; a refill must not offer them again. */
  readonly #claiming = new Set<string>();
  readonly #limited = new Map<string, Set<string>>();
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Up to `count` pieces of work; waits up to `timeoutMs` for the first. */
  async poll(name: string, options: PollOptions): Promise<readonly Claim[]> {
    const queue = this.#queue(name);
    queue.polls++;
    try {
      return await this.#poll(queue, options);
    } finally {
      queue.polls--;
    }
  }

  async #poll(queue: Queue, options: PollOptions): Promise<readonly Claim[]> {
    const isShared = this.#options.peers.takeReady !== undefined;
    // Where several servers ask, all who ask here at the moment are served by one question: nobody goes ahead.
    const claims = queue.pollers.length === 0 && !isShared ? await this.#take(queue, options) : [];
    if (claims.length > 0 || this.#isClosed || (options.timeoutMs <= 0 && !isShared)) return claims;
    if (isShared) queue.hasMore = true;
    return await new Promise((resolve) => {
      const poller: Poller = {
        ...options,
        resolve,
        timer: undefined,
        forgetHangUp: undefined,
        isReserved: false,
        isLate: false,
      };
      const giveUp = () => {
        poller.isLate = true;
        if (!poller.isReserved) this.#dismiss(queue, poller);
      };
      if (options.timeoutMs > 0) poller.timer = setTimeout(giveUp, options.timeoutMs);
      else poller.isLate = true;
      poller.forgetHangUp = options.onHangUp?.(giveUp);
      queue.pollers.push(poller);
      if (queue.items.length > 0 || queue.hasMore) this.#pump(queue);
    });
  }

  /**
   * Work that is about to be committed as ready, if someone waits for it: the same work, claimed. The commit then hands
   * it out without a second write. `settle` must be called with the outcome.
   */
  reserve(work: Work): { readonly work: Work; readonly settle: (claim: Claim | undefined) => void } | undefined {
    if (work.state !== "ready" || work.limit !== undefined) return undefined;
    const queue = this.#queues.get(work.queue);
    if (queue === undefined || queue.items.length > 0 || queue.hasMore) return undefined;
    const poller = queue.pollers.find((candidate) => !candidate.isReserved && candidate.node === undefined);
    if (poller === undefined) return undefined;
    poller.isReserved = true;
    return {
      work: claimedWork(work, poller.workerId, this.#options.clock()),
      settle: (claim) => {
        poller.isReserved = false;
        if (claim !== undefined) {
          this.#remove(queue, poller);
          poller.resolve([claim]);
        } else if (poller.isLate) {
          this.#dismiss(queue, poller);
        } else if (queue.items.length > 0 || queue.hasMore) {
          // Other work came meanwhile and found nobody free.
          this.#pump(queue);
        }
      },
    };
  }

  /** Work became ready; its commit is on disk. */
  offer(item: QueuedWork): void {
    const queue = this.#queue(item.work.queue);
    if (item.work.limit !== undefined) this.#noteLimit(item.work.limit, queue.name);
    if (this.#options.peers.takeReady !== undefined) {
      this.#options.peers.tellReady(queue.name);
      this.wake(queue.name);
      return;
    }
    const last = queue.items.at(-1);
    if (queue.hasMore && (last === undefined || !isBefore(item, last))) {
      // Older work that did not fit the window goes first: this one is read with it when its turn comes.
      if (queue.pollers.length > 0) this.#pump(queue);
      return;
    }
    insertInOrder(queue.items, item);
    if (queue.items.length > this.#options.window) {
      queue.items.pop();
      queue.hasMore = true;
    }
    if (queue.pollers.length > 0) this.#pump(queue);
  }

  /** There may be ready work in the store that memory does not know of. */
  wake(name: string): void {
    const queue = this.#queues.get(name);
    if (queue === undefined) return;
    queue.hasMore = true;
    if (queue.pollers.length > 0) this.#pump(queue);
  }

  /** Whoever waits looks for itself. */
  wakeAll(): void {
    this.wakeAllLimited();
    for (const name of [...this.#queues.keys()]) this.wake(name);
  }

  /** A slot that this server gave back: others may wait for it too. */
  freeSlot(name: string): void {
    this.#options.peers.tellFreeSlot(name);
    this.wakeLimited(name);
  }

  /** Slots of definitions that are not known any more. */
  freeSlots(): void {
    this.#options.peers.tellFreeSlot(ANY_LIMIT);
    this.wakeAllLimited();
  }

  /** A slot of a limited task definition came free: the next piece of work may go. */
  wakeLimited(name: string): void {
    if (name === ANY_LIMIT) this.wakeAllLimited();
    for (const queueName of this.#limited.get(name) ?? []) {
      const queue = this.#queue(queueName);
      if (queue.blocked.delete(name) && queue.pollers.length > 0) this.#pump(queue);
    }
  }

  /** A slot of some definition may have come free. */
  wakeAllLimited(): void {
    for (const name of this.#limited.keys()) this.wakeLimited(name);
  }

  /** The poller is gone before it had its work: back to the queue with it, as if it had never been polled. */
  async putBack(claims: readonly Claim[]): Promise<void> {
    const now = this.#options.clock();
    await Promise.all(
      claims.map(async ({ id, no, work }) => {
        const { workerId: _worker, ...rest } = work;
        const polls = work.polls - 1;
        const back = readyWork(
          { ...rest, workerId: undefined, polls, startedAt: polls === 0 ? 0 : work.startedAt },
          now,
        );
        const { kind } = await this.#options.store.commit({ kind: "work", id, no, from: "claimed", work: back });
        if (kind !== "done") return;
        if (work.limit !== undefined) this.freeSlot(work.limit.name);
        this.#offerMoved({ id, no, work: back });
      }),
    );
  }

  /** Someone wants work offered again that a worker has in its hands. */
  async takeBack({ id, no, work }: Claim): Promise<void> {
    const ready = readyWork({ ...work, workerId: undefined }, this.#options.clock());
    const { kind } = await this.#options.store.commit({ kind: "work", id, no, from: "claimed", work: ready });
    if (kind !== "done") return;
    if (work.limit !== undefined) this.freeSlot(work.limit.name);
    this.#offerMoved({ id, no, work: ready });
  }

  /** Delayed work whose time has come. */
  async release({ id, no, work }: QueuedWork): Promise<void> {
    const ready = readyWork(work, this.#options.clock());
    const { kind } = await this.#options.store.commit({ kind: "work", id, no, from: "delayed", work: ready });
    if (kind === "done") this.#offerMoved({ id, no, work: ready });
  }

  #offerMoved(item: QueuedWork): void {
    this.#options.onReady(item);
    this.offer(item);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends every wait: the server stops. Who is just being handed work gets it first. */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) {
      for (const poller of [...queue.pollers]) {
        poller.isLate = true;
        if (!poller.isReserved) this.#dismiss(queue, poller);
      }
    }
  }

  #queue(name: string): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      if (this.#queues.size >= MOST_QUEUES) this.#forgetUnused();
      queue = {
        name,
        items: [],
        hasMore: true,
        pollers: [],
        blocked: new Set(),
        isPumping: false,
        refill: undefined,
        polls: 0,
      };
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Anyone can poll any name. What is in no use is forgotten; the store knows whether there is work. */
  #forgetUnused(): void {
    for (const queue of this.#queues.values()) {
      if (queue.polls === 0 && !queue.isPumping && queue.blocked.size === 0) this.#queues.delete(queue.name);
    }
  }

  /** Serves waiting pollers until work or pollers run out. One pump per queue at a time. */
  #pump(queue: Queue): void {
    if (queue.isPumping) return;
    queue.isPumping = true;
    setImmediate(() => {
      this.#serve(queue).then(
        () => {
          queue.isPumping = false;
          const isWaiting = queue.pollers.some((poller) => !poller.isReserved);
          if (isWaiting && (queue.items.some((item) => !isBlocked(queue, item)) || this.#canRefill(queue))) {
            this.#pump(queue);
          } else {
            this.#dismissLate(queue);
          }
        },
        (error: unknown) => {
          this.#options.log.error("Serving a queue failed; trying again", { queue: queue.name, error: String(error) });
          this.#dismissLate(queue);
          setTimeout(() => {
            queue.isPumping = false;
            if (queue.pollers.length > 0) this.#pump(queue);
          }, RETRY_MS).unref();
        },
      );
    });
  }

  async #serve(queue: Queue): Promise<void> {
    const takeReady = this.#options.peers.takeReady;
    // Work under limits is claimed piece by piece, whoever asks.
    if (takeReady !== undefined && !this.#hasLimits(queue)) return await this.#serveTogether(queue, takeReady);
    for (const poller of [...queue.pollers]) {
      if (poller.isReserved || !queue.pollers.includes(poller)) continue;
      poller.isReserved = true;
      let claims: readonly Claim[] = [];
      try {
        claims = await this.#take(queue, poller);
      } finally {
        poller.isReserved = false;
        if (claims.length === 0 && poller.isLate) this.#dismiss(queue, poller);
      }
      if (claims.length === 0) return;
      this.#remove(queue, poller);
      poller.resolve(claims);
    }
  }

  #hasLimits(queue: Queue): boolean {
    return queue.items.some(({ work }) => work.limit !== undefined);
  }

  /** One question to the store for all who wait. */
  async #serveTogether(queue: Queue, takeReady: Nodes["takeReady"]): Promise<void> {
    // What was read while nobody else asked may be in other hands by now.
    queue.items = queue.items.filter(({ work }) => work.limit !== undefined);
    const waiting = queue.pollers.filter((poller) => !poller.isReserved);
    if (waiting.length === 0) return;
    // A server's own claims are held in its name: they are asked for apart.
    const isOwn = waiting[0]?.node !== undefined;
    const served = waiting.filter((poller) => (poller.node !== undefined) === isOwn);
    const asked = served.flatMap((poller) => Array.from({ length: poller.count }, () => poller)).slice(0, MOST_TAKEN);
    for (const poller of served) poller.isReserved = true;
    const claims = new Map<Poller, Claim[]>();
    try {
      const workers = asked.map(({ workerId }) => workerId);
      // Whatever comes while the store is asked sets it again.
      queue.hasMore = false;
      const taken = await takeReady({ queue: queue.name, workers, isOwn, now: this.#options.clock() });
      if (taken.length === asked.length) queue.hasMore = true;
      for (const [index, item] of taken.entries()) {
        const poller = asked[index];
        if (item.work.state === "claimed") {
          this.#options.onClaim(item, item.isWatchedElsewhere);
          if (poller !== undefined) claims.set(poller, [...(claims.get(poller) ?? []), item]);
        } else {
          if (item.work.limit !== undefined) this.#noteLimit(item.work.limit, queue.name);
          insertInOrder(queue.items, item);
        }
      }
    } finally {
      for (const poller of served) {
        poller.isReserved = false;
        const own = claims.get(poller);
        if (own !== undefined) {
          this.#remove(queue, poller);
          poller.resolve(own);
        } else if (poller.isLate && asked.includes(poller)) {
          this.#dismiss(queue, poller);
        }
      }
    }
  }

  async #take(queue: Queue, options: PollOptions): Promise<readonly Claim[]> {
    for (;;) {
      if (queue.refill !== undefined || this.#canRefill(queue)) await this.#refill(queue);
      const picked = pick(queue, options.count);
      if (picked.length === 0) return [];
      const outcomes = await Promise.allSettled(picked.map((item) => this.#claim(queue, item, options)));
      const failure = outcomes.find((outcome) => outcome.status === "rejected");
      // What could not be written is still ready in the store.
      if (failure !== undefined) queue.hasMore = true;
      const claims = outcomes.flatMap((outcome) =>
        outcome.status === "fulfilled" && outcome.value !== undefined ? [outcome.value] : [],
      );
      if (claims.length > 0) return claims;
      if (failure !== undefined) throw failure.reason;
      // All of them were gone, or stopped by a limit and put back: look further.
    }
  }

  /** Nothing in the window can go, and there may be more behind it. Work that a limit holds back stays in the window. */
  #canRefill(queue: Queue): boolean {
    if (!queue.hasMore || queue.items.length >= this.#options.window * MOST_WINDOWS) return false;
    return queue.items.every((item) => isBlocked(queue, item));
  }

  /** Whoever comes while the store is asked shares the answer: what is committed meanwhile is offered by its commit. */
  #refill(queue: Queue): Promise<void> {
    queue.refill ??= this.#readReady(queue).finally(() => {
      queue.refill = undefined;
    });
    return queue.refill;
  }

  async #readReady(queue: Queue): Promise<void> {
    const { store, window } = this.#options;
    const limit = queue.items.length + this.#claiming.size + window;
    // Whatever comes while the store is asked sets it again.
    queue.hasMore = false;
    const found = await store.queues.ready(queue.name, limit);
    if (found.length === limit) queue.hasMore = true;
    const held = new Set(queue.items.map(keyOf));
    const fresh = found.filter((item) => !this.#claiming.has(keyOf(item)) && !held.has(keyOf(item)));
    for (const item of fresh) {
      if (item.work.limit !== undefined) this.#noteLimit(item.work.limit, queue.name);
      insertInOrder(queue.items, item);
    }
  }

  async #claim(queue: Queue, { id, no, work }: QueuedWork, options: PollOptions): Promise<Claim | undefined> {
    const { store, clock, onClaim } = this.#options;
    const key = keyOf({ id, no });
    const claimed = claimedWork(work, options.workerId, clock());
    this.#claiming.add(key);
    try {
      const commit = await store.commit({ kind: "claim", id, no, work: claimed, node: options.node });
      if (commit.kind === "done") {
        const claim = { id, no, work: claimed };
        onClaim(claim, commit.watchers !== undefined);
        return claim;
      }
      if (work.limit !== undefined && (commit.guard === "concurrency" || commit.guard === "rate")) {
        queue.blocked.add(work.limit.name);
        insertInOrder(queue.items, { id, no, work });
        if (commit.guard === "rate") await this.#wakeAtRateSlot(work.limit);
      }
      return undefined;
    } finally {
      this.#claiming.delete(key);
    }
  }

  async #wakeAtRateSlot({ name, windowMs }: Limit): Promise<void> {
    const { store, clock } = this.#options;
    // None: the slots that were in the way are free by now.
    const at = (await store.queues.nextRateSlot(name, clock(), windowMs)) ?? clock();
    setTimeout(() => this.wakeLimited(name), Math.max(1, at - clock())).unref();
  }

  #noteLimit({ name }: Limit, queue: string): void {
    const queues = this.#limited.get(name);
    if (queues === undefined) this.#limited.set(name, new Set([queue]));
    else queues.add(queue);
  }

  /** There is nothing for those who did not mean to wait. */
  #dismissLate(queue: Queue): void {
    for (const poller of [...queue.pollers]) if (poller.isLate && !poller.isReserved) this.#dismiss(queue, poller);
  }

  #dismiss(queue: Queue, poller: Poller): void {
    this.#remove(queue, poller);
    poller.resolve([]);
  }

  #remove(queue: Queue, poller: Poller): void {
    clearTimeout(poller.timer);
    poller.forgetHangUp?.();
    const at = queue.pollers.indexOf(poller);
    if (at >= 0) queue.pollers.splice(at, 1);
  }
}

const isBlocked = (queue: Queue, { work }: QueuedWork): boolean =>
  work.limit !== undefined && queue.blocked.has(work.limit.name);

/** Takes the first pieces of work that no limit holds back. */
function pick(queue: Queue, count: number): QueuedWork[] {
  if (queue.blocked.size === 0) return queue.items.splice(0, count);
  const picked: QueuedWork[] = [];
  queue.items = queue.items.filter((item) => {
    if (isBlocked(queue, item) || picked.length >= count) return true;
    picked.push(item);
    return false;
  });
  return picked;
}

const keyOf = ({ id, no }: Pick<QueuedWork, "id" | "no">): string => `${id}${no}`;

/** Higher priority first, then who was due first. New work nearly always belongs at the end. */
function insertInOrder(items: QueuedWork[], item: QueuedWork): void {
  let at = items.length;
  while (at > 0 && isBefore(item, items[at - 1])) at--;
  items.splice(at, 0, item);
}

function isBefore(a: QueuedWork, b: QueuedWork | undefined): boolean {
  if (b === undefined) return false;
  if (a.work.priority !== b.work.priority) return a.work.priority > b.work.priority;
  return a.work.dueAt < b.work.dueAt;
}
