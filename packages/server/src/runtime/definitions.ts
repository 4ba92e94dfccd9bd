import { createHash } from "node:crypto";
import {
  compilePlan,
  embedTaskDefs,
  isJsonObject,
  type Json,
  normalizeWorkflowDef,
  type PinnedDef,
  type Plan,
  type TaskDef,
  type WorkflowDef,
  type WorkflowTask,
} from "@downbeat/engine";
import type { Reading, Store } from "@downbeat/store";
import type { Peers } from "./peers.ts";

const PLAN_CACHE = 2000;
const WORKFLOW_DEFS = "workflow-definitions";
const TASK_DEFS = "task-definitions";

/** A definition an execution can run: task definitions embedded, stored under its content hash. */
type Pinned = PinnedDef & { readonly body: string };

/** A SUB_WORKFLOW entry names a definition that does not exist; the parent must not start. */
export class MissingSubWorkflow extends Error {}

/**
 * Workflow and task definitions, held in memory, and the plans made from them. Owner of the registry: every change goes
 * through here, to disk first.
 */
export class Definitions {
  readonly #store: Store;
  readonly #peers: Peers;
  readonly #workflows = new Map<string, Map<number, WorkflowDef>>();
  readonly #tasks = new Map<string, TaskDef>();
  readonly #plans = new Map<string, Plan>();
  readonly #pinned = new Map<string, Pinned>();
  readonly #bodies = new Map<string, string>();
  readonly #stored = new Set<string>();
  #changes = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(store: Store, peers: Peers) {
    this.#store = store;
    this.#peers = peers;
    peers.share(WORKFLOW_DEFS, (name) => this.#inTurn(() => this.#loadWorkflowDefs(name)));
    peers.share(TASK_DEFS, (name) => this.#inTurn(() => this.#loadTaskDefs(name)));
  }

  async load(): Promise<void> {
    await this.#loadWorkflowDefs();
    await this.#loadTaskDefs();
  }

  /** One reload after the other: an older answer must not come last. */
  #inTurn(load: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(load);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #loadWorkflowDefs(name?: string): Promise<void> {
    const changes = this.#changes;
    const defs = await this.#store.definitions.workflowDefs(name);
    // Something was changed here meanwhile: what was read may be older than that.
    if (changes !== this.#changes) return await this.#loadWorkflowDefs(name);
    if (name === undefined) this.#workflows.clear();
    else this.#workflows.delete(name);
    for (const def of defs) this.#remember(def);
    this.#pinned.clear();
  }

  async #loadTaskDefs(name?: string): Promise<void> {
    const changes = this.#changes;
    const defs = await this.#store.definitions.taskDefs(name);
    if (changes !== this.#changes) return await this.#loadTaskDefs(name);
    if (name === undefined) this.#tasks.clear();
    else this.#tasks.delete(name);
    for (const def of defs) this.#tasks.set(def.name, def);
    this.#pinned.clear();
  }

  // ---- reading

  findWorkflowDef(name: string, version?: number): WorkflowDef | undefined {
    const versions = this.#workflows.get(name);
    return versions?.get(version ?? latestOf(versions));
  }

  /** By name, then version. */
  workflowDefs(): WorkflowDef[] {
    return [...this.#workflows.keys()].sort(compareText).flatMap((name) => this.versionsOf(name));
  }

  versionsOf(name: string): WorkflowDef[] {
    return [...(this.#workflows.get(name)?.values() ?? [])].sort((a, b) => a.version - b.version);
  }

  latestWorkflowDefs(): WorkflowDef[] {
    const names = [...this.#workflows.keys()].sort(compareText);
    return names.map((name) => this.findWorkflowDef(name)).filter((def) => def !== undefined);
  }

  findTaskDef(name: string): TaskDef | undefined {
    return this.#tasks.get(name);
  }

  taskDefs(): TaskDef[] {
    return [...this.#tasks.values()].sort((a, b) => compareText(a.name, b.name));
  }

  // ---- changing

  /** False when the name and version exist. */
  async createWorkflowDef(def: WorkflowDef): Promise<boolean> {
    const { kind } = await this.#store.commit({ kind: "put-workflow-def", def, mustBeNew: true });
    if (kind !== "done") return false;
    this.#changes++;
    this.#remember(def);
    await this.#peers.changed(WORKFLOW_DEFS, def.name);
    return true;
  }

  async putWorkflowDef(def: WorkflowDef): Promise<void> {
    await this.#store.commit({ kind: "put-workflow-def", def, mustBeNew: false });
    this.#changes++;
    this.#remember(def);
    await this.#peers.changed(WORKFLOW_DEFS, def.name);
  }

  /** False when there is none. */
  async deleteWorkflowDef(name: string, version: number): Promise<boolean> {
    const { kind } = await this.#store.commit({ kind: "delete-workflow-def", name, version });
    this.#changes++;
    const versions = this.#workflows.get(name);
    versions?.delete(version);
    if (versions?.size === 0) this.#workflows.delete(name);
    this.#pinned.clear();
    await this.#peers.changed(WORKFLOW_DEFS, name);
    return kind === "done";
  }

  async putTaskDefs(defs: readonly TaskDef[]): Promise<void> {
    await this.#store.commit({ kind: "put-task-defs", defs });
    this.#changes++;
    for (const def of defs) this.#tasks.set(def.name, def);
    this.#pinned.clear();
    await this.#peers.changed(TASK_DEFS, defs.length === 1 ? defs[0]?.name : undefined);
  }

  async deleteTaskDef(name: string): Promise<boolean> {
    const { kind } = await this.#store.commit({ kind: "delete-task-def", name });
    this.#changes++;
    this.#tasks.delete(name);
    this.#pinned.clear();
    await this.#peers.changed(TASK_DEFS, name);
    return kind === "done";
  }

  #remember(def: WorkflowDef): void {
    const versions = this.#workflows.get(def.name) ?? new Map<number, WorkflowDef>();
    versions.set(def.version, def);
    this.#workflows.set(def.name, versions);
    this.#pinned.clear();
  }

  // ---- pinning

  /** The registered definition as an execution would run it now; undefined when there is none. Throws MissingSubWorkflow. */
  pinRegistered(name: string, version?: number): PinnedDef | undefined {
    const versions = this.#workflows.get(name);
    if (versions === undefined) return undefined;
    const wanted = version ?? latestOf(versions);
    const key = `${wanted} ${name}`;
    const known = this.#pinned.get(key);
    if (known !== undefined) return known;
    const def = versions.get(wanted);
    if (def === undefined) return undefined;
    const pinned = this.#pin(def);
    this.#pinned.set(key, pinned);
    return pinned;
  }

  /** A definition that came with a request or at run time. Throws DefinitionFormatError, MissingSubWorkflow. */
  pinGiven(def: WorkflowDef | Json): PinnedDef {
    return this.#pin(isWorkflowDef(def) ? def : normalizeWorkflowDef(def));
  }

  #pin(def: WorkflowDef): Pinned {
    const embedded = embedTaskDefs({ ...def, tasks: this.#pinSubWorkflows(def.tasks) }, (name) =>
      this.#tasks.get(name),
    );
    const body = JSON.stringify(embedded);
    const hash = createHash("sha256").update(body).digest("base64url").slice(0, 27);
    if (!this.#plans.has(hash)) this.#keepPlan(hash, compilePlan(embedded));
    if (!this.#stored.has(hash)) this.#bodies.set(hash, body);
    return { hash, name: def.name, version: def.version, body };
  }

  /** Latest versions of sub-workflows are settled when the parent starts; names with expressions when they are reached. */
  #pinSubWorkflows(tasks: readonly WorkflowTask[]): WorkflowTask[] {
    const pinList = (list: readonly WorkflowTask[]) => this.#pinSubWorkflows(list);
    return tasks.map((task) => {
      const cases = Object.entries(task.decisionCases).map(([value, list]) => [value, pinList(list)] as const);
      const inner = {
        ...task,
        decisionCases: Object.fromEntries(cases),
        defaultCase: pinList(task.defaultCase),
        forkTasks: task.forkTasks.map(pinList),
        loopOver: pinList(task.loopOver),
      };
      const param = task.subWorkflowParam;
      if (task.type !== "SUB_WORKFLOW" || param?.name === undefined || param.name === "") return inner;
      if (param.workflowDefinition !== undefined || param.name.includes("${")) return inner;
      if (param.version !== undefined && param.version !== 0) return inner;
      const latest = this.findWorkflowDef(param.name);
      if (latest === undefined) {
        throw new MissingSubWorkflow(
          `The Task ${param.name} defined as a sub-workflow has no workflow definition available `,
        );
      }
      return { ...inner, subWorkflowParam: { ...param, version: latest.version } };
    });
  }

  /** The body of a pinned definition that may not be on disk yet, for the unit that refers to it. */
  findUnstored(hash: string): { readonly hash: string; readonly body: string } | undefined {
    const body = this.#bodies.get(hash);
    return body === undefined ? undefined : { hash, body };
  }

  markStored(hash: string): void {
    this.#stored.add(hash);
    this.#bodies.delete(hash);
  }

  /** The plan if it is at hand, which those of executions in progress usually are. */
  findPlan(hash: string): Plan | undefined {
    return this.#plans.get(hash);
  }

  loadPlan(hash: string): Reading<Plan> {
    const known = this.findPlan(hash);
    if (known !== undefined) return known;
    const body = this.#store.definitions.pinned(hash);
    return body instanceof Promise ? body.then((text) => this.#makePlan(hash, text)) : this.#makePlan(hash, body);
  }

  #makePlan(hash: string, body: string | undefined): Plan {
    if (body === undefined) throw new Error(`The pinned definition ${hash} is not in the store`);
    return this.#keepPlan(hash, compilePlan(JSON.parse(body) as WorkflowDef));
  }

  #keepPlan(hash: string, plan: Plan): Plan {
    this.#plans.set(hash, plan);
    if (this.#plans.size > PLAN_CACHE) {
      for (const old of this.#plans.keys()) {
        // A plan whose body is not on disk yet cannot be made again.
        if (this.#bodies.has(old)) continue;
        this.#plans.delete(old);
        break;
      }
    }
    return plan;
  }
}

const latestOf = (versions: ReadonlyMap<number, WorkflowDef>): number => Math.max(...versions.keys());
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Normalised definitions always have these; a caller's JSON may not. */
const isWorkflowDef = (def: WorkflowDef | Json): def is WorkflowDef =>
  isJsonObject(def) && "maskedFields" in def && "schemaVersion" in def && "tasks" in def && "metadata" in def;
