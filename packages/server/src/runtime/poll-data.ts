/** One entry per (task type, domain): who asked last, and when. */
export type LastPoll = {
  readonly queueName: string;
  readonly domain?: string;
  readonly workerId: string;
  readonly lastPollTime: number;
};

/** Anyone can poll any name: the least recent one makes room. */
const MOST_ENTRIES = 10_000;
const MOST_TOLD = 500;

/** Who polls what. In memory: after a restart it fills again with the first polls. */
export class PollData {
  readonly #activeMs: number;
  readonly #polls = new Map<string, LastPoll>();

  constructor(activeMs: number) {
    this.#activeMs = activeMs;
  }

  note(taskType: string, domain: string | undefined, workerId: string, now: number): void {
    const key = keyOf(taskType, domain);
    this.#polls.delete(key);
    if (this.#polls.size >= MOST_ENTRIES) {
      const [oldest] = this.#polls.keys();
      if (oldest !== undefined) this.#polls.delete(oldest);
    }
    this.#polls.set(key, {
      queueName: taskType,
      workerId,
      lastPollTime: now,
      ...(domain === undefined ? {} : { domain }),
    });
  }

  /** What another server knows. */
  merge(polls: readonly LastPoll[]): void {
    for (const { queueName, domain, workerId, lastPollTime } of polls) {
      const known = this.#polls.get(keyOf(queueName, domain));
      if (known === undefined || known.lastPollTime < lastPollTime)
        this.note(queueName, domain, workerId, lastPollTime);
    }
  }

  /** The latest, up to a number that fits into a heartbeat. */
  since(time: number): LastPoll[] {
    const polls: LastPoll[] = [];
    for (const poll of [...this.#polls.values()].reverse()) {
      if (poll.lastPollTime < time || polls.length === MOST_TOLD) break;
      polls.push(poll);
    }
    return polls;
  }

  isActive(taskType: string, domain: string, now: number): boolean {
    const last = this.#polls.get(keyOf(taskType, domain));
    return last !== undefined && now - last.lastPollTime <= this.#activeMs;
  }

  of(taskType: string): LastPoll[] {
    return [...this.#polls.values()].filter((poll) => poll.queueName === taskType);
  }

  all(): LastPoll[] {
    return [...this.#polls.values()].sort((a, b) => (a.queueName < b.queueName ? -1 : 1));
  }
}

const keyOf = (taskType: string, domain: string | undefined): string => `${domain ?? ""}\n${taskType}`;
