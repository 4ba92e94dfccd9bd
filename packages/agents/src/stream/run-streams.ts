import type { EventStream, Runtime } from "@downbeat/server";
import type { AgentEvent } from "./agent-event.ts";
import { RunStream, type Wishes } from "./run-stream.ts";
import { sweepLogs } from "./stream-log.ts";

const SWEEP_MS = 3_600_000;

/** Who watches which runs on this server. */
export class RunStreams {
  readonly #runtime: Runtime;
  readonly #byRun = new Map<string, { readonly run: RunStream; users: number }>();
  #sweep: NodeJS.Timeout | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  start(): void {
    this.#sweep = setInterval(() => {
      sweepLogs(this.#runtime).catch((error: unknown) =>
        this.#runtime.log.warn("Events of runs that are gone could not be removed", { error: String(error) }),
      );
    }, SWEEP_MS);
    this.#sweep.unref();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const { run } of this.#byRun.values()) run.close();
  }

  /** Serves one watcher until the run is over or the watcher is gone. */
  async watch(id: string, stream: EventStream, wishes: Wishes): Promise<void> {
    await this.#with(id, async (run) => {
      stream.begin("connected");
      await run.open();
      await run.serve(stream, wishes);
    });
  }

  /** Adds an event that somebody else reports to what watchers of the run hear. */
  async post(id: string, event: AgentEvent): Promise<void> {
    await this.#with(id, (run) => run.post(event));
  }

  async #with(id: string, use: (run: RunStream) => Promise<void>): Promise<void> {
    const shared = this.#byRun.get(id) ?? { run: new RunStream(this.#runtime, id), users: 0 };
    this.#byRun.set(id, shared);
    shared.users++;
    try {
      await use(shared.run);
    } finally {
      shared.users--;
      if (shared.users === 0) {
        this.#byRun.delete(id);
        shared.run.close();
      }
    }
  }
}
