import type { Clause, WorkflowField } from "@downbeat/store";
import { AppliedBefore, type Attached } from "../runtime/dispatcher.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Does what the job is for to one execution. Throws with the reason why not. */
export type Act = (id: string, attached: Attached) => Promise<void>;

/** A job over all executions that match a query, as it is stored. */
export type BulkJob = {
  readonly jobId: string;
  readonly action: string;
  readonly query: string;
  readonly freeText: string;
  readonly options: { readonly [name: string]: string | boolean };
  readonly status: "RUNNING" | "COMPLETED" | "CANCELED" | "FAILED";
  readonly reasonForIncompletion?: string;
  /** Matching executions when it was made; later ones are none of its business. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly createTime: number;
  readonly updateTime: number;
  readonly endTime: number;
};

/** Beside what everyone sees: the newest execution it is about, and the last one it has done. */
type StoredJob = BulkJob & {
  readonly upTo: string;
  readonly cursor?: string;
  /** The executions it is at: written down first, because half done they may not match the query any more. */
  readonly batch?: readonly string[];
};

type Matching = { readonly where: readonly Clause<WorkflowField>[]; readonly text: readonly string[] };

export type BulkJobsOptions = {
  readonly runtime: Runtime;
  /** Throws what the caller is to hear when a job cannot be read. */
  readonly match: (job: Pick<BulkJob, "query" | "freeText">) => Matching;
  readonly actOf: (job: Pick<BulkJob, "action" | "options">) => Act;
};

/** How a job stands now; no job when it was forgotten. */
export type JobChange = { readonly jobId: string; readonly job: BulkJob | undefined };
export type NewJob = Pick<BulkJob, "action" | "query" | "freeText" | "options">;
export type JobResult = { readonly workflowId: string; readonly error?: string };

const JOBS = "bulk-job";
/** How far a job is, for those who watch at another server. */
const PROGRESS = "bulk-job-progress";
/** Jobs that someone wants to end. */
const CANCELS = "bulk-job-cancel";
const BATCH = 100;
const MOST_KEPT = 100;
const PAGE = 200;
const RETRY_MS = 5000;
const resultsOf = (jobId: string): string => `bulk-job/${jobId}`;

/**
 * Background jobs, one after the other. What a job does to an execution and the note that it did are one commit, so a
 * job that a crash cut short goes on where it was and does nothing twice.
 */
export class BulkJobs {
  readonly #options: BulkJobsOptions;
  /** Waiting or running, oldest first. */
  readonly #queue: string[] = [];
  readonly #canceled = new Set<string>();
  readonly #watchers = new Set<(change: JobChange) => void>();
  #running: Promise<void> | undefined;
  #current: { readonly jobId: string; readonly done: Promise<void> } | undefined;

  constructor(options: BulkJobsOptions) {
    this.#options = options;
  }

  /** Goes on with what was not finished. */
  async start(): Promise<void> {
    const { peers, log } = this.#options.runtime;
    peers.share(JOBS, () => this.#takeUp());
    peers.share(PROGRESS, (jobId) => this.#tellOfOthers(jobId));
    peers.onChange(() => {
      this.#takeUp().catch((error: unknown) => log.error("Bulk jobs could not be taken up", { error: String(error) }));
    });
    await this.#takeUp();
  }

  /** Of several servers, one runs a job; should it go, another does. */
  #isMine(jobId: string): boolean {
    return this.#options.runtime.peers.rank(jobId) === 0;
  }

  /** Looks what there is to do for this server, and what is to be left. */
  async #takeUp(): Promise<void> {
    const { documents } = this.#options.runtime.store;
    const unfinished = (await this.#all()).filter(({ status, jobId }) => status === "RUNNING" && this.#isMine(jobId));
    for (const job of unfinished) {
      const isCanceled = (await documents.find(CANCELS, job.jobId)) !== undefined;
      if (isCanceled) await this.#endCanceled(job);
      else if (!this.#queue.includes(job.jobId)) this.#enqueue(job.jobId);
    }
  }

  async #endCanceled(job: StoredJob): Promise<void> {
    this.#canceled.add(job.jobId);
    // The one that runs ends itself after its batch, so that its counts are right.
    if (this.#current?.jobId === job.jobId) await this.#current.done;
    else await this.#end(job, "CANCELED");
  }

  /** Resolves when the batch under way is done; the rest is done after the next start. */
  async close(): Promise<void> {
    await this.#running;
  }

  async create(request: NewJob): Promise<BulkJob> {
    const { runtime, match, actOf } = this.#options;
    actOf(request);
    const jobId = runtime.newExecutionId();
    const now = runtime.clock();
    const bounded = upTo(match(request), jobId);
    const job: StoredJob = {
      jobId,
      ...request,
      status: "RUNNING",
      total: await runtime.store.search.countWorkflows(bounded),
      done: 0,
      failed: 0,
      createTime: now,
      updateTime: now,
      endTime: 0,
      upTo: jobId,
    };
    await this.#put(job);
    await this.#forgetOld();
    await runtime.peers.changed(JOBS);
    await this.#takeUp();
    return shown(job);
  }

  /** Tells of every job when it has been written down or forgotten. Gives a function that ends it. */
  watch(tell: (change: JobChange) => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  /** Newest first. */
  async list(): Promise<readonly BulkJob[]> {
    return (await this.#all()).reverse().map(shown);
  }

  async find(jobId: string): Promise<BulkJob | undefined> {
    const job = await this.#load(jobId);
    return job === undefined ? undefined : shown(job);
  }

  async results(
    jobId: string,
    start: number,
    size: number,
  ): Promise<{ readonly totalHits: number; readonly results: readonly JobResult[] }> {
    const { documents } = this.#options.runtime.store;
    const collection = resultsOf(jobId);
    const page = await documents.list(collection, { start, limit: size });
    return {
      totalHits: await documents.count(collection),
      results: page.map(({ id, body }) => ({ workflowId: id, ...(JSON.parse(body) as { error?: string }) })),
    };
  }

  /** What is under way is finished first. False when there is nothing to cancel. */
  async cancel(jobId: string): Promise<boolean> {
    const { store, peers } = this.#options.runtime;
    const job = await this.#load(jobId);
    if (job?.status !== "RUNNING") return false;
    const documents = [{ collection: CANCELS, id: jobId, body: "{}", mustBeNew: false }];
    await store.commit({ kind: "put-documents", documents });
    await peers.changed(JOBS);
    await this.#takeUp();
    return true;
  }

  /** Forgets an ended job and its results. */
  async remove(jobId: string): Promise<void> {
    const { store } = this.#options.runtime;
    await store.commit({ kind: "delete-documents", collection: resultsOf(jobId), ids: "all" });
    await store.commit({ kind: "delete-documents", collection: CANCELS, ids: [jobId] });
    await store.commit({ kind: "delete-documents", collection: JOBS, ids: [jobId] });
    this.#tell(jobId, undefined);
  }

  #enqueue(jobId: string): void {
    this.#queue.push(jobId);
    this.#running ??= this.#work();
  }

  async #work(): Promise<void> {
    const { stopping } = this.#options.runtime;
    for (let [jobId] = this.#queue; jobId !== undefined && !stopping.aborted; [jobId] = this.#queue) {
      const done = this.#runOrFail(jobId);
      this.#current = { jobId, done };
      await done;
      this.#current = undefined;
      if (stopping.aborted) break;
      this.#queue.shift();
      this.#canceled.delete(jobId);
    }
    this.#running = undefined;
  }

  /** Never rejects: one job that cannot even be written down must not stop the others. */
  async #runOrFail(jobId: string): Promise<void> {
    const { log } = this.#options.runtime;
    try {
      await this.#run(jobId);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.error("A bulk job failed", { jobId, error: error instanceof Error ? (error.stack ?? "") : message });
      try {
        const job = await this.#load(jobId);
        if (job !== undefined) await this.#end(job, "FAILED", message);
      } catch (second) {
        // It is still RUNNING in the store, and goes on when that can be written again.
        log.error("A bulk job could not be ended; trying again", { jobId, error: String(second) });
        setTimeout(() => this.#enqueue(jobId), RETRY_MS).unref();
      }
    }
  }

  async #run(jobId: string): Promise<void> {
    const { runtime, match, actOf } = this.#options;
    let job = await this.#load(jobId);
    if (job?.status !== "RUNNING") return;
    const act = actOf(job);
    const matching = upTo(match(job), job.upTo);
    while (!runtime.stopping.aborted && this.#isMine(jobId)) {
      if (this.#canceled.has(jobId)) {
        await this.#end(job, "CANCELED");
        return;
      }
      if (job.batch === undefined) {
        const batch = await runtime.store.search.workflowIds(matching, job.cursor, BATCH);
        if (batch.length === 0) {
          await this.#end(job, "COMPLETED");
          return;
        }
        job = { ...job, batch };
        await this.#put(job);
      }
      job = await this.#doBatch(job, job.batch ?? [], act);
    }
  }

  async #doBatch(job: StoredJob, ids: readonly string[], act: Act): Promise<StoredJob> {
    const { runtime } = this.#options;
    const { documents } = runtime.store;
    const collection = resultsOf(job.jobId);
    const results = await Promise.all(
      ids.map(async (id): Promise<JobResult & { readonly isOld: boolean }> => {
        const before = await documents.find(collection, id);
        if (before !== undefined) return { workflowId: id, isOld: true };
        try {
          await act(id, { documents: [{ collection, id, body: "{}", mustBeNew: true }] });
          return { workflowId: id, isOld: false };
        } catch (error) {
          if (error instanceof AppliedBefore) return { workflowId: id, isOld: true };
          return { workflowId: id, isOld: false, error: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
    const fresh = results.filter(({ isOld }) => !isOld);
    const { batch: _done, ...rest } = job;
    const next: StoredJob = {
      ...rest,
      cursor: ids.at(-1) ?? "",
      failed: job.failed + fresh.filter(({ error }) => error !== undefined).length,
      updateTime: runtime.clock(),
    };
    const notes = fresh.map(({ workflowId: id, error }) => ({
      collection,
      id,
      body: JSON.stringify(error === undefined ? {} : { error }),
      mustBeNew: false,
    }));
    const counted = { ...next, done: await this.#countWith(collection, fresh) };
    await runtime.store.commit({
      kind: "put-documents",
      documents: [...notes, { collection: JOBS, id: job.jobId, body: JSON.stringify(counted), mustBeNew: false }],
    });
    this.#tell(job.jobId, counted);
    return counted;
  }

  /** Results there are, with those that are about to be written. */
  async #countWith(collection: string, fresh: readonly JobResult[]): Promise<number> {
    const { documents } = this.#options.runtime.store;
    let count = await documents.count(collection);
    for (const { workflowId } of fresh) if ((await documents.find(collection, workflowId)) === undefined) count++;
    return count;
  }

  async #end(job: StoredJob, status: BulkJob["status"], reason?: string): Promise<void> {
    const now = this.#options.runtime.clock();
    const why = reason === undefined ? {} : { reasonForIncompletion: reason };
    await this.#put({ ...job, status, ...why, updateTime: now, endTime: now });
    const at = this.#queue.indexOf(job.jobId);
    if (at > 0) this.#queue.splice(at, 1);
  }

  async #put(job: StoredJob): Promise<void> {
    const document = { collection: JOBS, id: job.jobId, body: JSON.stringify(job), mustBeNew: false };
    await this.#options.runtime.store.commit({ kind: "put-documents", documents: [document] });
    this.#tell(job.jobId, job);
  }

  #tell(jobId: string, job: StoredJob | undefined): void {
    this.#tellHere(jobId, job);
    this.#options.runtime.peers.tellChanged(PROGRESS, jobId);
  }

  #tellHere(jobId: string, job: StoredJob | undefined): void {
    for (const tell of this.#watchers) tell({ jobId, job: job === undefined ? undefined : shown(job) });
  }

  /** Another server wrote this job down; or, with no name, any of them may have. */
  async #tellOfOthers(jobId: string | undefined): Promise<void> {
    if (this.#watchers.size === 0) return;
    if (jobId !== undefined) this.#tellHere(jobId, await this.#load(jobId));
    else for (const job of await this.#all()) this.#tellHere(job.jobId, job);
  }

  async #load(jobId: string): Promise<StoredJob | undefined> {
    const found = await this.#options.runtime.store.documents.find(JOBS, jobId);
    return found === undefined ? undefined : (JSON.parse(found) as StoredJob);
  }

  /** Oldest first: ids carry their time. */
  async #all(): Promise<StoredJob[]> {
    const jobs: StoredJob[] = [];
    for (let start = 0; ; start += PAGE) {
      const page = await this.#options.runtime.store.documents.list(JOBS, { start, limit: PAGE });
      jobs.push(...page.map(({ body }) => JSON.parse(body) as StoredJob));
      if (page.length < PAGE) return jobs;
    }
  }

  async #forgetOld(): Promise<void> {
    const ended = (await this.#all()).filter(({ status }) => status !== "RUNNING");
    for (const { jobId } of ended.slice(0, Math.max(0, ended.length - MOST_KEPT))) await this.remove(jobId);
  }
}

/** Ids are ordered by time: what starts while the job runs is not touched by it. */
const upTo = ({ where, text }: Matching, id: string): Matching => ({
  where: [...where, { field: "workflowId", op: "<=", values: [id] }],
  text,
});

function shown({ upTo: _upTo, cursor: _cursor, batch: _batch, ...job }: StoredJob): BulkJob {
  return job;
}
