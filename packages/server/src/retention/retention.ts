import { isWorkflowTerminal } from "@downbeat/engine";
import type { Clause, WorkflowField } from "@downbeat/store";
import { parseDuration } from "../config-values.ts";
import { pause } from "../runtime/pause.ts";
import type { Runtime } from "../runtime/runtime.ts";

const BATCH = 50;
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
 * Removes executions that ended long enough ago, with everything that is theirs: a family at a time, when its topmost
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
    const { store, config, stopping, log } = this.#runtime;
    const where = this.#due(policy);
    const rate = config["service.retention.rate"];
    let after: string | undefined;
    let removed = 0;
    while (!stopping.aborted) {
      const ids = await store.search.workflowIds({ where, text: [] }, after, BATCH);
      after = ids.at(-1);
      if (after === undefined) break;
      const startedAt = performance.now();
      let count = 0;
      for (const id of ids) count += await this.#removeFamily(id);
      removed += count;
      await pause((count / rate) * SECOND - (performance.now() - startedAt), stopping);
    }
    if (removed > 0) log.info("Removed ended executions", { workflowType: policy.workflowType ?? "*", removed });
  }

  /** Children first: whoever is cut off in between finds the parent again. Gives how many were removed. */
  async #removeFamily(id: string): Promise<number> {
    const { store } = this.#runtime;
    let removed = 0;
    for (;;) {
      const children = await store.search.workflowIds({ where: [isChildOf(id)], text: [] }, undefined, BATCH);
      if (children.length === 0) break;
      const before = removed;
      for (const child of children) removed += await this.#removeFamily(child);
      // One of them runs again: the family stays together.
      if (removed === before) return removed;
    }
    const head = await this.#runtime.loadHead(id);
    // Somebody brought it back to life since it was found.
    if (head === undefined || !isWorkflowTerminal(head.status)) return removed;
    const kind = await this.#runtime.removals.remove(id, false);
    return kind === "done" ? removed + 1 : removed;
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

const isChildOf = (id: string) => ({ field: "parentWorkflowId", op: "IN", values: [id] }) as const;

/** `metadata.retention` of a definition: `"30d"`, `"12h"`, or a number of seconds; 0 keeps for ever. */
function parseRetention(value: unknown): number | undefined {
  if (typeof value === "number") return value >= 0 ? value * SECOND : undefined;
  return typeof value === "string" ? parseDuration(value.trim(), "s") : undefined;
}
