import { type Changes, isTerminal, isWorkflowTerminal, type Task, type WorkflowStatus } from "@downbeat/engine";
import type { Store } from "@downbeat/store";
import type { Committed } from "../runtime/commit-feed.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { MetricRegistry } from "./registry.ts";

const MICROSECONDS = 1_000_000;

/** What monitoring sees of this server: how executions and tasks fare, and what the store does. Follows the commits. */
export class Metrics {
  readonly #registry = new MetricRegistry();
  readonly #runtime: Runtime;
  readonly #started = this.#registry.counter("workflow_start_success_total", "Executions started", ["workflowName"]);
  readonly #failed = this.#registry.counter("workflow_failure_total", "Executions that ended without success", [
    "workflowName",
    "status",
  ]);
  readonly #executions = this.#registry.timer("workflow_execution", "How long executions took", ["workflowName"]);
  readonly #scheduled = this.#registry.counter("task_scheduled_total", "Tasks scheduled", ["taskType"]);
  readonly #queueWaits = this.#registry.timer("task_queue_wait", "How long tasks waited for a worker", ["taskType"]);
  readonly #tasks = this.#registry.timer("task_execution", "How long tasks took", ["taskType", "status"]);
  readonly #timeouts = this.#registry.counter("task_timeout_total", "Tasks that timed out", ["taskType"]);
  readonly #polls = this.#registry.counter("task_poll_total", "Polls", ["taskType", "domain"]);
  readonly #polled = this.#registry.counter("task_poll_count_total", "Tasks that polls gave out", ["taskType"]);
  #depths: ReadonlyMap<string, number> = new Map();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    const registry = this.#registry;
    registry.gauge("task_queue_depth", "Tasks that wait for a worker", ["taskType"], () =>
      [...this.#depths].map(([queue, depth]) => [[queue], depth] as const),
    );
    this.#addStore(runtime.store);
    this.#addProcess();
    runtime.feed.watchOwn((committed) => this.#note(committed));
  }

  notePoll(taskType: string, domain: string | undefined): void {
    this.#polls.add(taskType, domain ?? "");
  }

  /** In Prometheus' text format. */
  async text(): Promise<string> {
    this.#depths = await this.#runtime.store.queues.sizes();
    return this.#registry.text();
  }

  #addStore(store: Store): void {
    const one = (name: string, help: string, read: () => number) =>
      this.#registry.gauge(name, help, [], () => [[[], read()]]);
    one("store_units_total", "Commits, one for each step, claim or other change", () => store.written().units);
    one("store_groups_total", "Writes to disk, each with one or more commits", () => store.written().groups);
    if (store.nodes === undefined) return;
    one("store_statements_total", "Statements sent to the database", () => store.written().statements);
    one("store_nodes", "Servers on this store", () => Math.max(1, store.nodes?.list().length ?? 1));
  }

  #addProcess(): void {
    const one = (name: string, help: string, read: () => number) =>
      this.#registry.gauge(name, help, [], () => [[[], read()]]);
    one("process_uptime_seconds", "Since the start", () => process.uptime());
    one("process_cpu_seconds_total", "Of all threads", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    });
    one("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss());
    one("process_event_loop_busy_ratio", "Since the start", () => performance.eventLoopUtilization().utilization);
  }

  #note(committed: Committed): void {
    if (committed.kind === "claim") this.#noteClaim(committed.work.queue, committed.work);
    else if (committed.kind === "changes") this.#noteChanges(committed.changes, committed.statusBefore);
  }

  #noteClaim(queue: string, { dueAt, polledAt }: { readonly dueAt: number; readonly polledAt: number }): void {
    this.#polled.add(queue);
    this.#queueWaits.note(Math.max(0, polledAt - dueAt), queue);
  }

  #noteChanges({ head, newTasks, changedTasks, work }: Changes, statusBefore: WorkflowStatus | undefined): void {
    const { workflowName, status } = head;
    if (statusBefore === undefined) this.#started.add(workflowName);
    if (isWorkflowTerminal(status) && statusBefore !== status) {
      this.#executions.note(head.endTime - head.createTime, workflowName);
      if (status !== "COMPLETED") this.#failed.add(workflowName, status);
    }
    for (const task of newTasks) {
      this.#scheduled.add(task.taskType);
      const claim = work.get(task.no);
      // Born claimed: nobody will tell of it otherwise.
      if (claim?.state === "claimed") this.#noteClaim(claim.queue, claim);
      this.#noteTask(task, head.updateTime);
    }
    for (const task of changedTasks) this.#noteTask(task, head.updateTime);
  }

  #noteTask({ status, taskType, startTime, endTime }: Task, now: number): void {
    // An ended task may be changed again, by a retry for instance: it ends once.
    if (!isTerminal(status) || endTime < now) return;
    this.#tasks.note(startTime === 0 ? 0 : Math.max(0, endTime - startTime), taskType, status);
    if (status === "TIMED_OUT") this.#timeouts.add(taskType);
  }
}
