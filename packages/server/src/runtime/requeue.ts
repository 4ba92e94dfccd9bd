import type { Runtime } from "./runtime.ts";

const BATCH = 1000;

/** Offers the open worker tasks of a definition again, those in a worker's hands too; answers how many there are. */
export async function requeue(runtime: Runtime, taskDefName: string): Promise<number> {
  const { store, queues } = runtime;
  let count = 0;
  for (let start = 0; ; start += BATCH) {
    const { results } = await store.search.tasks({
      where: [
        { field: "taskDefName", op: "=", values: [taskDefName] },
        { field: "status", op: "IN", values: ["SCHEDULED", "IN_PROGRESS"] },
      ],
      text: [],
      sort: [],
      start,
      size: BATCH,
    });
    const ofWorkers = results.filter(({ task }) => runtime.isForWorkers(task.taskType));
    count += ofWorkers.length;
    for (const { head, task } of ofWorkers) {
      const work = await store.executions.work(head.id, task.no);
      if (work?.state === "claimed") await queues.takeBack({ id: head.id, no: task.no, work });
    }
    if (results.length < BATCH) return count;
  }
}
