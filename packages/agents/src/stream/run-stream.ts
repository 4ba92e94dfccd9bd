import { type Head, isWorkflowTerminal, type JsonObject, type Task } from "@downbeat/engine";
import { type Committed, type EventStream, eventText, type Runtime } from "@downbeat/server";
import { type AgentEvent, eventOfEnd, eventOfTask, isTold } from "./agent-event.ts";
import { isHandoff, type Moment, marksOf } from "./marks.ts";
import { StreamLog } from "./stream-log.ts";
import { TokenRelay } from "./token-relay.ts";

/** Texts of the latest events, made once for all who watch. */
const MOST_KEPT = 256;

/** From where on a watcher wants to hear, and whether what models say while they say it too. */
export type Wishes = { readonly lastEventId: number; readonly hasTokens: boolean };

/** The task that a run inside another was started by. */
type Caller = { readonly head: Head; readonly task: Task };

/** The run that is watched, or one inside it. */
type Watched = { end: () => void; readonly depth: number; readonly caller: Caller | undefined; rev: number };

type Touched = { isWhole: boolean; readonly tasks: Map<number, Task> };

type Found = { readonly name: string; readonly at: number; readonly depth: number; readonly no: number };

/**
 * The events of one run and of the runs inside it, for all who watch it on this server. It looks at what was committed;
 * the run knows nothing of it.
 */
export class RunStream {
  readonly #runtime: Runtime;
  readonly #id: string;
  readonly #log: StreamLog;
  readonly #tokens: TokenRelay;
  readonly #runs = new Map<string, Watched>();
  readonly #touched = new Map<string, Touched>();
  readonly #texts = new Map<number, Promise<string | undefined>>();
  readonly #waiting = new Set<() => void>();
  #looking: Promise<void> | undefined;
  #opened: Promise<void> | undefined;
  #isOver = false;
  #isClosed = false;

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime;
    this.#id = id;
    this.#log = new StreamLog(runtime, id);
    this.#tokens = new TokenRelay(runtime);
  }

  /** Resolves when everything that was committed before is in order. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<void> {
    await this.#log.read();
    const head = await this.#runtime.loadHead(this.#id);
    // It was told to its end: there is nothing to look for.
    if (head !== undefined && isWorkflowTerminal(head.status) && this.#log.has(endName(head))) {
      this.#isOver = true;
      return;
    }
    await this.#watch(this.#id, 0, undefined);
    await this.#look();
  }

  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#runs.values()) end();
    this.#runs.clear();
    this.#wake();
  }

  /** Sends what comes after `lastEventId`, then whatever happens, to the end of the run or of the stream. */
  async serve(stream: EventStream, { lastEventId, hasTokens }: Wishes): Promise<void> {
    if (hasTokens) this.#tokens.add(stream);
    let wake = (): void => undefined;
    stream.onClose(() => wake());
    try {
      let next = Math.min(lastEventId, this.#log.length);
      while (stream.isOpen) {
        while (next < this.#log.length && stream.isOpen) {
          const text = await this.#textAt(next++);
          if (text !== undefined) await stream.sendAll([text]);
        }
        if (next < this.#log.length) continue;
        if (this.#isOver || this.#isClosed) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#waiting.add(resolve);
        });
      }
    } finally {
      this.#waiting.delete(wake);
    }
    stream.end();
  }

  /** Takes in an event that somebody else reports. */
  async post(event: AgentEvent): Promise<void> {
    await this.open();
    await this.#look();
    if (this.#isOver) return;
    await this.#log.append([event]);
    this.#runtime.peers.tellCommitted(this.#id, false, []);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  async #watch(id: string, depth: number, caller: Caller | undefined): Promise<void> {
    if (this.#runs.has(id) || this.#isClosed) return;
    const watched: Watched = { end: () => undefined, depth, caller, rev: -1 };
    this.#runs.set(id, watched);
    this.#tokens.addRun(id);
    const end = await this.#runtime.feed.watch(id, (committed) => this.#heard(id, committed));
    if (this.#isClosed) end();
    else watched.end = end;
    this.#touch(id).isWhole = true;
  }

  #touch(id: string): Touched {
    const touched = this.#touched.get(id) ?? { isWhole: false, tasks: new Map<number, Task>() };
    this.#touched.set(id, touched);
    return touched;
  }

  #heard(id: string, committed: Committed): void {
    if (committed.kind === "claim") return;
    const touched = this.#touch(id);
    const run = this.#runs.get(id);
    if (committed.kind === "gap") touched.isWhole = true;
    else if (committed.kind === "elsewhere") for (const task of committed.tasks) touched.tasks.set(task.no, task);
    else {
      const { head, newTasks, changedTasks } = committed.changes;
      for (const task of [...newTasks, ...changedTasks]) touched.tasks.set(task.no, task);
      if (run !== undefined && run.rev === head.rev - 1) run.rev = head.rev;
    }
    this.#look().catch((error: unknown) => {
      this.#runtime.log.warn("Events of a run could not be told", { id: this.#id, error: String(error) });
      // The next look sees everything again.
      for (const [one, watched] of this.#runs) {
        watched.rev = -1;
        this.#touch(one).isWhole = true;
      }
    });
  }

  /** Puts what was touched into order, one look after the other. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOn(): Promise<void> {
    while (this.#touched.size > 0 && !this.#isOver && !this.#isClosed) {
      if (!this.#runtime.peers.isAlone) await this.#log.read();
      const hasLog = this.#log.length > 0;
      const root = await this.#runtime.loadHead(this.#id);
      const isEnd = root !== undefined && isWorkflowTerminal(root.status);
      // Whatever was not told of yet comes before the end.
      if (isEnd) for (const id of this.#runs.keys()) this.#touch(id).isWhole = true;
      const found = await this.#findAll();
      const names = found.sort(inOrder).map(({ name }) => name);
      if (root === undefined) this.#isOver = true;
      else names.push(...this.#ofRoot(root));
      if (isEnd && !hasLog) this.#log.take(names);
      else await this.#log.append(names);
      if (isEnd) this.#isOver = true;
      this.#wake();
    }
    if (this.#isOver) this.#touched.clear();
  }

  async #findAll(): Promise<Found[]> {
    const found: Found[] = [];
    // Runs found inside are looked at in the same round, so that an end comes last.
    while (this.#touched.size > 0) {
      const [next] = this.#touched;
      if (next === undefined) break;
      const [id, touched] = next;
      this.#touched.delete(id);
      found.push(...(await this.#find(id, touched)));
    }
    return found;
  }

  async #find(id: string, { isWhole, tasks }: Touched): Promise<Found[]> {
    const run = this.#runs.get(id);
    const head = await this.#runtime.loadHead(id);
    if (head === undefined || run === undefined) return [];
    // Word of a gap that was none.
    if (isWhole && tasks.size === 0 && run.rev === head.rev) return [];
    if (isWhole) run.rev = head.rev;
    const seen = isWhole ? await this.#runtime.store.executions.all(head) : tasks.values();
    const found: Found[] = this.#handoff(head, run);
    for (const task of seen) {
      for (const { moment, at } of marksOf(task, head.workflowName)) {
        const name = this.#nameOf(head, task.no, moment);
        if (this.#log.has(name) || !(await isTold(this.#runtime, id, task.no, moment))) continue;
        found.push({ name, at, depth: run.depth, no: task.no });
      }
      if (task.subWorkflowId !== undefined) await this.#watch(task.subWorkflowId, run.depth + 1, { head, task });
    }
    return found;
  }

  /** Told when the run that is handed to is there. */
  #handoff(child: Head, { caller, depth }: Watched): Found[] {
    if (caller === undefined || !isHandoff(caller.task, caller.head.workflowName, child.workflowName)) return [];
    const name = this.#nameOf(caller.head, caller.task.no, "handoff");
    if (this.#log.has(name)) return [];
    return [{ name, at: child.createTime, depth: depth - 1, no: caller.task.no }];
  }

  /** A run that is started anew counts its tasks from the beginning. */
  #nameOf({ id, epoch }: Head, no: number, moment: Moment): string {
    const place = epoch === 0 ? String(no) : `${no}.${epoch}`;
    return id === this.#id ? `${place} ${moment}` : `${place} ${moment} ${id}`;
  }

  /** Pauses and the end of the run itself. */
  #ofRoot(head: Head): readonly string[] {
    const last = this.#log.entries.findLast((entry) => typeof entry === "string" && isPause(entry));
    const wasPaused = typeof last === "string" && last.startsWith("paused");
    if (head.status === "PAUSED" && !wasPaused) return [`paused ${head.updateTime}`];
    const resumed = wasPaused && head.status !== "PAUSED" ? [`resumed ${head.updateTime}`] : [];
    return isWorkflowTerminal(head.status) ? [...resumed, endName(head)] : resumed;
  }

  #textAt(index: number): Promise<string | undefined> {
    const known = this.#texts.get(index);
    if (known !== undefined) return known;
    const text = this.#textOf(index);
    this.#texts.set(index, text);
    text.catch(() => this.#texts.delete(index));
    const oldest = this.#texts.keys().next().value;
    if (this.#texts.size > MOST_KEPT && oldest !== undefined) this.#texts.delete(oldest);
    return text;
  }

  async #textOf(index: number): Promise<string | undefined> {
    const entry = this.#log.at(index);
    const event = typeof entry === "string" ? await this.#eventOf(entry) : entry;
    if (event === undefined) return undefined;
    const id = index + 1;
    return eventText(String(event["type"]), id, JSON.stringify({ id, ...(event as JsonObject) }));
  }

  async #eventOf(name: string): Promise<AgentEvent | undefined> {
    const [first = "", second = "", run = this.#id] = name.split(" ");
    if (first === "resumed") return undefined;
    if (first === "paused")
      return { type: "waiting", pendingTool: {}, executionId: this.#id, timestamp: Number(second) };
    if (first === "ended") {
      const event = await eventOfEnd(this.#runtime, this.#id);
      // It ended once, and was taken up again since.
      return event?.["timestamp"] === Number(second) ? event : undefined;
    }
    const [no, epoch = 0] = first.split(".").map(Number);
    const place = { executionId: run, no: no ?? 0, epoch, moment: second as Moment };
    return await eventOfTask(this.#runtime, place);
  }
}

const endName = ({ endTime }: Head): string => `ended ${endTime}`;
const isPause = (name: string): boolean => name.startsWith("paused") || name.startsWith("resumed");

const inOrder = (one: Found, other: Found): number => one.at - other.at || one.depth - other.depth || one.no - other.no;
