import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Changes, type PayloadChange, RawJson } from "@downbeat/engine";
import type { DocumentPut } from "@downbeat/store";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { openPayloadStore } from "./open-store.ts";
import { type PayloadSource, type PayloadStore, textSource } from "./payload-store.ts";
import { isReference, parseReference, type Reference, referenceText } from "./reference.ts";

/** Who a payload belongs to, by its path; and the same by execution, for its removal. */
const OWNED = "large-payload";
const ofExecution = (id: string): string => `large payloads of ${id}`;
const PAGE = 500;
const SWEEP_MS = 6 * 3_600_000;
/** What lies in the store this long and belongs to nobody was left by a crash, or by a client that gave up. */
const ORPHAN_MS = 86_400_000;
const MOST_CHECKED = 10_000;

/** Changes with their large payloads replaced by references, and the notes to be committed with them. */
export type Offloaded = {
  readonly changes: Changes;
  readonly documents: readonly DocumentPut[];
  /** The commit is on disk: what it replaced is of no use. */
  readonly settle: () => Promise<void>;
  /** The commit failed: what was stored for it is of no use. */
  readonly undo: () => Promise<void>;
};

type Options = Pick<Runtime, "config" | "store" | "clock" | "log">;

/** Payloads above their thresholds: they lie in the payload store, and executions hold references to them. */
export class LargePayloads {
  readonly #options: Options;
  readonly #smallest: number;
  /** Paths whose content was checked on its way in, so that it need not be read again to be used. */
  readonly #checked = new Map<string, number>();
  #store: PayloadStore | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#smallest = Math.min(...slots.map((slot) => thresholdOf(options.config, slot)));
  }

  async start(): Promise<void> {
    this.#store = await openPayloadStore(this.#options);
    // Alone on its database, nobody else can be receiving anything: what waits there was cut off by a crash.
    const { spoolFolder } = this.#store;
    const isAlone = this.#options.config["service.db.type"] === "sqlite";
    if (isAlone && spoolFolder !== undefined) await rm(spoolFolder, { recursive: true, force: true });
    this.#sweeping = this.#sweep();
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweep();
    }, SWEEP_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
    this.#store?.close?.();
  }

  get store(): PayloadStore {
    if (this.#store === undefined) throw new Error("The payload store is not open yet");
    return this.#store;
  }

  // What goes in.

  /** Undefined when all payloads are small: the usual case, and told without looking at them. */
  offload(changes: Changes): Promise<Offloaded> | undefined {
    const isConcerned = changes.payloads.some(({ text }) => text.length > this.#smallest / 3 || isReference(text));
    return isConcerned ? this.#offload(changes) : undefined;
  }

  async #offload(changes: Changes): Promise<Offloaded> {
    // Side by side: each of them waits for the disk.
    const moved = await Promise.all(changes.payloads.map((change) => this.#move(changes, change)));
    const payloads = moved.map(({ change }) => change);
    const stored = moved.map((one) => one.stored).filter((path) => path !== undefined);
    const replaced = moved.map((one) => one.replaced).filter((path) => path !== undefined);
    const paths = payloads.map(({ text }) => parseReference(text)?.path).filter((path) => path !== undefined);
    return {
      changes: { ...changes, payloads },
      documents: [...new Set(paths)].flatMap((path) => ownership(changes.id, path)),
      settle: () =>
        this.#removeOwned(
          changes.id,
          replaced.filter((path) => !paths.includes(path)),
        ),
      undo: async () => {
        for (const path of stored) await this.#removeQuietly(path);
      },
    };
  }

  async #move(changes: Changes, change: PayloadChange) {
    const reference = await this.#storeIfLarge(changes.id, change);
    const before = await this.#findReplaced(changes, change);
    const moved = reference === undefined ? change : { ...change, text: referenceText(reference) };
    return { change: moved, stored: reference?.path, replaced: before?.path };
  }

  /** What a task had there before: a worker may report a large output again and again. Nothing else refers to it yet. */
  async #findReplaced({ id, changedTasks }: Changes, { no, slot }: PayloadChange): Promise<Reference | undefined> {
    if (!changedTasks.some((task) => task.no === no)) return undefined;
    return parseReference((await this.#options.store.executions.payload(id, no, slot)).stored);
  }

  async #storeIfLarge(id: string, { no, slot, text }: PayloadChange): Promise<Reference | undefined> {
    const { config, log } = this.#options;
    const kind = slotOf(no, slot);
    if (kind === undefined || isReference(text)) return undefined;
    const threshold = thresholdOf(config, kind);
    const bytes = text.length > threshold / 3 ? Buffer.byteLength(text) : 0;
    if (bytes <= threshold) return undefined;
    const path = `${folders[kind]}${id}/${randomUUID()}.json`;
    try {
      await this.store.put(path, textSource(text, bytes));
      return { path, bytes };
    } catch (error) {
      // The database can hold it as well: better there than nowhere.
      log.warn("A large payload stays in the database: the payload store does not take it", {
        path,
        error: String(error),
      });
      return undefined;
    }
  }

  /** Keeps what came in from outside and is known to be a JSON object. */
  async keep(path: string, source: PayloadSource): Promise<boolean> {
    if (!(await this.store.put(path, source))) return false;
    this.#checked.set(path, source.bytes);
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > MOST_CHECKED && oldest !== undefined) this.#checked.delete(oldest);
    return true;
  }

  /** How large a payload is that this server has checked itself. Asked once: another server may have replaced it since. */
  takeChecked(path: string): number | undefined {
    const bytes = this.#checked.get(path);
    this.#checked.delete(path);
    return bytes;
  }

  async isOwned(path: string): Promise<boolean> {
    return (await this.#options.store.documents.find(OWNED, path)) !== undefined;
  }

  /** The same payload at a path of its own. */
  async copy(path: string, bytes: number): Promise<string> {
    const found = await this.store.find(path);
    if (found === undefined) throw new Error(`Expected a payload at ${path}, found none`);
    const copy = this.newPath("copy/");
    await this.store.put(copy, { bytes, open: () => found.stream as AsyncIterable<Uint8Array> });
    return copy;
  }

  /** Where bytes wait that are still on their way in. */
  get spoolFolder(): string {
    return this.store.spoolFolder ?? join(tmpdir(), "downbeat-spool");
  }

  newPath = (prefix: string): string => `${prefix}${randomUUID()}.json`;

  // What comes out.

  /** The text of a payload. One that is gone reads as empty: whoever waits for it must not wait for ever. */
  async load({ path }: Reference): Promise<string> {
    const found = await this.store.find(path);
    if (found !== undefined) return await readText(found.stream);
    this.#options.log.error("A large payload is gone from the payload store", { path });
    return "{}";
  }

  /** The payload itself, wherever it lies. */
  whole(raw: RawJson): RawJson | Promise<RawJson> {
    const reference = parseReference(raw.stored);
    return reference === undefined ? raw : this.load(reference).then((text) => new RawJson(text));
  }

  // What goes.

  async isOwner(id: string): Promise<boolean> {
    return (await this.#options.store.documents.list(ofExecution(id), { start: 0, limit: 1 })).length > 0;
  }

  async removeAllOf(id: string): Promise<void> {
    for (;;) {
      const page = await this.#options.store.documents.list(ofExecution(id), { start: 0, limit: PAGE });
      if (page.length === 0) return;
      const paths = page.map(({ id: path }) => path);
      for (const path of paths) await this.store.remove(path);
      await this.#forget(id, paths);
    }
  }

  async #removeOwned(id: string, paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    for (const path of paths) await this.#removeQuietly(path);
    // What is not forgotten now is forgotten with the execution.
    await this.#forget(id, paths).catch(() => undefined);
  }

  async #forget(id: string, paths: readonly string[]): Promise<void> {
    const { store } = this.#options;
    await store.commit({ kind: "delete-documents", collection: OWNED, ids: paths });
    await store.commit({ kind: "delete-documents", collection: ofExecution(id), ids: paths });
  }

  async #removeQuietly(path: string): Promise<void> {
    // The sweep finds what is left.
    await this.store.remove(path).catch(() => undefined);
  }

  /** Removes what belongs to nobody. */
  async #sweep(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      for await (const path of this.store.list(clock() - ORPHAN_MS)) {
        if ((await store.documents.find(OWNED, path)) === undefined) await this.store.remove(path);
      }
    } catch (error) {
      log.warn("Payloads that belong to nobody could not be removed; trying again later", { error: String(error) });
    }
  }
}

type Slot = "workflowInput" | "workflowOutput" | "taskInput" | "taskOutput";

const slots: readonly Slot[] = ["workflowInput", "workflowOutput", "taskInput", "taskOutput"];

const folders: Record<Slot, string> = {
  workflowInput: "workflow/input/",
  workflowOutput: "workflow/output/",
  taskInput: "task/input/",
  taskOutput: "task/output/",
};

const thresholdOf = (config: Config, slot: Slot): number => config[`service.app.${slot}PayloadSizeThreshold`];

/** Variables have a limit of their own, and are never so large. */
function slotOf(no: number, slot: PayloadChange["slot"]): Slot | undefined {
  if (slot === "variables") return undefined;
  return no === 0 ? `workflow${slot === "input" ? "Input" : "Output"}` : `task${slot === "input" ? "Input" : "Output"}`;
}

const ownership = (executionId: string, path: string): DocumentPut[] => [
  { collection: OWNED, id: path, body: JSON.stringify({ executionId }), mustBeNew: false },
  { collection: ofExecution(executionId), id: path, body: "{}", mustBeNew: false },
];

async function readText(stream: Readable): Promise<string> {
  stream.setEncoding("utf8");
  const parts: string[] = [];
  for await (const part of stream) parts.push(part as string);
  return parts.join("");
}
