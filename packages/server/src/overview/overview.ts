import { isInternalQueue, type WorkflowStatus } from "@downbeat/engine";
import type { LastPoll } from "../runtime/poll-data.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Broadcast } from "../streams/broadcast.ts";
import { type EventStream, eventText } from "../streams/event-stream.ts";
import { Pulse } from "./pulse.ts";

const SLOWEST = 10;
/** However much happens, whoever watches hears of it this often. */
const TELL_MS = 1000;

/** How the whole is doing, for people: made when asked, pushed to whoever watches when something was committed. */
export class Overview {
  readonly #runtime: Runtime;
  readonly #pulse: Pulse;
  readonly #endFeed: () => void;
  readonly #watchers = new Broadcast(() => this.#stopTelling());
  #isWatched = false;
  #telling: NodeJS.Timeout | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#pulse = new Pulse(runtime.clock());
    this.#endFeed = runtime.feed.watchOwn((committed) => {
      this.#pulse.note(committed, runtime.clock());
      if (this.#isWatched) this.#tellSoon();
    });
  }

  async read() {
    const { clock, store } = this.#runtime;
    const now = clock();
    const [running, paused, queues] = await Promise.all([
      this.#count("RUNNING"),
      this.#count("PAUSED"),
      this.#queues(now),
    ]);
    return {
      now,
      since: this.#pulse.since,
      running,
      paused,
      waiting: queues.reduce((sum, { size }) => sum + size, 0),
      nextTimer: (await store.queues.nextTimer()) ?? 0,
      minutes: this.#pulse.minutes(now),
      queues,
      definitions: this.#pulse.slowest(now, SLOWEST),
    };
  }

  async watch(stream: EventStream): Promise<void> {
    this.#watchers.add(stream);
    this.#isWatched = true;
    stream.begin();
    stream.send(await this.#text());
  }

  close(): void {
    this.#endFeed();
    this.#stopTelling();
  }

  #stopTelling(): void {
    this.#isWatched = false;
    clearTimeout(this.#telling);
    this.#telling = undefined;
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#text().then(
        (text) => this.#watchers.send(text),
        (error: unknown) => this.#runtime.log.warn("The overview could not be told", { error: String(error) }),
      );
    }, TELL_MS).unref();
  }

  async #text(): Promise<string> {
    const overview = await this.read();
    return eventText("overview", overview.now, JSON.stringify(overview));
  }

  #count(status: WorkflowStatus): Promise<number> {
    return this.#runtime.store.search.countWorkflows({
      where: [{ field: "status", op: "IN", values: [status] }],
      text: [],
    });
  }

  /** What waits for workers, longest queue first, and queues that workers ask for though nothing waits. */
  async #queues(now: number) {
    const { store, pollData } = this.#runtime;
    const sizes = new Map([...(await store.queues.sizes())].filter(([name]) => !isInternalQueue(name)));
    const polls = Map.groupBy(pollData.all(), queueOf);
    const names = [...new Set([...sizes.keys(), ...polls.keys()])];
    const queues = await Promise.all(
      names.map(async (name) => {
        const size = sizes.get(name) ?? 0;
        const [next] = size === 0 ? [] : await store.queues.ready(name, 1);
        const asked = polls.get(name) ?? [];
        return {
          name,
          size,
          oldestWaitMs: next === undefined ? 0 : Math.max(0, now - next.work.dueAt),
          lastPollTime: Math.max(0, ...asked.map(({ lastPollTime }) => lastPollTime)),
          workerId: asked.toSorted((a, b) => b.lastPollTime - a.lastPollTime)[0]?.workerId ?? "",
        };
      }),
    );
    return queues.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  }
}

const queueOf = ({ queueName, domain }: LastPoll): string =>
  domain === undefined ? queueName : `${domain}:${queueName}`;
