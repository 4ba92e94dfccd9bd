import { isWorkflowTerminal } from "@downbeat/engine";
import type { Clause, WorkflowField } from "@downbeat/store";
import { parseDuration } from "../config-values.ts";
import { pause } from "../runtime/pause.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Executions whose families are looked for together. */
const BATCH = 250;
/** Executions that are removed together: few enough that a commit beside them hardly waits. */
const STEP = 4;
/** Executions that are looked for at once: with very many in the store a search costs more than a removal. */
const PAGE = 5000;
const SECOND = 1000;

/** How long ended executions are kept, for one definition or for all that say nothing themselves. */
type Policy = {
  /** Undefined: every definition without one of its own. */
  readonly workflowType: string | undefined;
  readonly keepMs: number;
  readonly where: readonly Clause<WorkflowField>[];
};

export type RetentionPreview = {
  readonly workflowType: string;
  readonly keepSeconds: number;
  /** Ended executions at the top that would go now, each with its sub-workflows. */
  readonly executions: number;
};

/**
 * Removes executions that ended long enough ago, with everything that is theirs: whole families, when their topmost
 * execution has ended, and only so many a second that others do not feel it.
 */
export class Retention {
  readonly #runtime: Runtime;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  start(): void {
    const { config, stopping } = this.#runtime;
    if (stopping.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#clear().then(() => this.start());
    }, config["service.retention.interval"]);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
    clearTimeout(this.#timer);
  }

  /** What would go now. */
  async preview(): Promise<readonly RetentionPreview[]> {
    const previews: RetentionPreview[] = [];
    for (const policy of this.#policies()) {
      const executions = await this.#runtime.store.search.countWorkflows({ where: this.#due(policy), text: [] });
      previews.push({ workflowType: policy.workflowType ?? "*", keepSeconds: policy.keepMs / SECOND, executions });
    }
    return previews;
  }

  async #clear(): Promise<void> {
    const { log, peers } = this.#runtime;
    try {
      // Of several servers one does it.
      if (peers.rank("retention") > 0) return;
      for (const policy of this.#policies()) await this.#clearPolicy(policy);
    } catch (error) {
      log.error("Ended executions could not be removed; trying again later", { error: String(error) });
    }
  }

  async #clearPolicy(policy: Policy): Promise<void> {
    const { store, stopping, log } = this.#runtime;
    const where = this.#due(policy);
    let after: string | undefined;
    let removed = 0;
    while (!stopping.aborted) {
      const ids = await store.search.workflowIds({ where, text: [] }, after, PAGE);
      after = ids.at(-1);
      if (after === undefined) break;
      for (const batch of batchesOf(ids, BATCH)) {
        if (stopping.aborted) break;
        removed += await this.#removeFamilies(batch);
      }
    }
    if (removed > 0) log.info("Removed ended executions", { workflowType: policy.workflowType ?? "*", removed });
  }

  /** Children first: whoever is cut off in between finds the parent again. Gives how many were removed. */
  async #removeFamilies(ids: readonly string[]): Promise<number> {
    const { search } = this.#runtime.store;
    let removed = 0;
    let leaving = ids;
    while (leaving.length > 0) {
      const children = await search.workflowIds({ where: [isChildOf(leaving)], text: [] }, undefined, PAGE);
      if (children.length === 0) break;
      const before = removed;
      for (const batch of batchesOf(children, BATCH)) removed += await this.#removeFamilies(batch);
      if (removed > before) continue;
      // Some run again: their families stay together.
      const heads = await Promise.all(children.map((id) => this.#runtime.loadHead(id)));
      const staying = new Set(heads.map((head) => head?.parentWorkflowId));
      const rest = leaving.filter((id) => !staying.has(id));
      if (rest.length === leaving.length) return removed;
      leaving = rest;
    }
    return removed + (await this.#removeAll(leaving));
  }

  /** In small steps, and no faster than the rate. */
  async #removeAll(ids: readonly string[]): Promise<number> {
    const { config, stopping } = this.#runtime;
    let removed = 0;
    for (const step of batchesOf(ids, STEP)) {
      if (stopping.aborted) break;
      const startedAt = performance.now();
      const outcomes = await Promise.all(step.map((id) => this.#remove(id)));
      const gone = outcomes.filter((isGone) => isGone).length;
      removed += gone;
      await pause((gone / config["service.retention.rate"]) * SECOND - (performance.now() - startedAt), stopping);
    }
    return removed;
  }

  async #remove(id: string): Promise<boolean> {
    const head = await this.#runtime.loadHead(id);
    // Somebody brought it back to life since it was found.
    if (head === undefined || !isWorkflowTerminal(head.status)) return false;
    return (await this.#runtime.removals.remove(id, false)) === "done";
  }

  #policies(): readonly Policy[] {
    const { definitions, config } = this.#runtime;
    const own = definitions
      .latestWorkflowDefs()
      .map(({ name, metadata }) => ({ name, keepMs: parseRetention(metadata["retention"]) }))
      .filter((entry): entry is { name: string; keepMs: number } => entry.keepMs !== undefined);
    const rest = config["service.retention.default"];
    const names = own.map(({ name }) => name);
    return [
      ...own
        .filter(({ keepMs }) => keepMs > 0)
        .map(({ name, keepMs }) => ({
          workflowType: name,
          keepMs,
          where: [{ field: "workflowType", op: "IN", values: [name] }] as const,
        })),
      ...(rest > 0
        ? [
            {
              workflowType: undefined,
              keepMs: rest,
              where: names.length === 0 ? [] : ([{ field: "workflowType", op: "!=", values: names }] as const),
            },
          ]
        : []),
    ];
  }

  #due({ keepMs, where }: Policy): readonly Clause<WorkflowField>[] {
    const before = this.#runtime.clock() - keepMs;
    return [
      ...where,
      { field: "parentWorkflowId", op: "=", values: [""] },
      { field: "status", op: "IN", values: ["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"] },
      // It cannot have ended before it began: lets the index find the old ones.
      { field: "startTime", op: "<=", values: [before] },
      { field: "endTime", op: "<=", values: [before] },
    ];
  }
}

const isChildOf = (ids: readonly string[]) => ({ field: "parentWorkflowId", op: "IN", values: ids }) as const;

function* batchesOf(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}

/** `metadata.retention` of a definition: `"30d"`, `"12h"`, or a number of seconds; 0 keeps for ever. */
function parseRetention(value: unknown): number | undefined {
  if (typeof value === "number") return value >= 0 ? value * SECOND : undefined;
  return typeof value === "string" ? parseDuration(value.trim(), "s") : undefined;
}
