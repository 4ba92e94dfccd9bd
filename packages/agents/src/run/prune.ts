import { invalidInput, type Runtime, remove } from "@downbeat/server";

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Removes runs of agents that ended so many days ago; answers how many. */
export async function prune(runtime: Runtime, olderThanDays: number, keepsSummaries: boolean): Promise<number> {
  if (olderThanDays < 1) throw invalidInput(`pruneExecutions: olderThanDays must be >= 1, got ${olderThanDays}`);
  const before = runtime.clock() - olderThanDays * DAY_MS;
  if (before <= 0) return 0;
  let deleted = 0;
  let after: string | undefined;
  for (;;) {
    const ids = await runtime.store.search.workflowIds(
      {
        where: [
          { field: "classifier", op: "=", values: ["AGENT", "agent"] },
          { field: "status", op: "IN", values: ["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"] },
          { field: "endTime", op: "<", values: [before] },
        ],
        text: [],
      },
      after,
      BATCH,
    );
    for (const id of ids) {
      // Someone else may have removed it meanwhile.
      if ((await runtime.loadHead(id)) === undefined) continue;
      await remove(keepsSummaries)(runtime, id);
      deleted++;
    }
    after = ids.at(-1);
    if (after === undefined || ids.length < BATCH) return deleted;
  }
}
