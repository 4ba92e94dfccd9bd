import type { WorkflowDef } from "@downbeat/engine";
import type { EventStream, Runtime } from "@downbeat/server";
import { Changes } from "../run/changes.ts";
import type { OnVisit } from "../run/waiting.ts";
import type { Facade } from "./facade.ts";
import { isFinal, type Task } from "./task.ts";

type Watched = {
  readonly facade: Facade;
  readonly def: WorkflowDef;
  readonly id: string;
  /** Puts a result into an answer of the call. */
  readonly answer: (result: object) => string;
};

/** Tells how a task stands, then each change, to its end or until it waits for an answer. */
export async function streamTask(runtime: Runtime, stream: EventStream, watched: Watched): Promise<void> {
  const { facade, def, id, answer } = watched;
  const send = (result: object) => stream.send(`data: ${answer(result)}\n\n`);
  const changed = new Changes();
  const watches = new Map<string, () => void>();
  // Watched before it is looked at, with the runs inside: a commit in between is not missed.
  const watch: OnVisit = async (visited) => {
    if (!watches.has(visited)) watches.set(visited, await runtime.feed.watch(visited, () => changed.tell()));
  };
  stream.onClose(() => changed.tell());
  const isTooLong = setTimeout(
    () => changed.end(),
    runtime.config["service.a2a.server.stream-max-duration-seconds"] * 1000,
  );
  try {
    await watch(id);
    let task = await facade.task(def, id, watch);
    send(task);
    let told = task.status.state;
    while (stream.isOpen && !isOver(task) && !changed.isEnded) {
      await changed.next();
      task = await facade.task(def, id, watch);
      if (task.status.state === told) continue;
      told = task.status.state;
      if (!isOver(task)) send(statusUpdate(task, false));
    }
    for (const artifact of task.artifacts ?? []) send({ ...of(task), kind: "artifact-update", artifact });
    send(isOver(task) ? statusUpdate(task, true) : statusUpdate(withAdvice(task), true));
  } finally {
    clearTimeout(isTooLong);
    for (const end of watches.values()) end();
    stream.end();
  }
}

/** Nothing happens any more unless somebody says something. */
const isOver = ({ status }: Task): boolean => isFinal(status.state) || status.state === "input-required";

const of = ({ id, contextId }: Task) => ({ taskId: id, contextId });
const statusUpdate = (task: Task, final: boolean): object => ({
  ...of(task),
  kind: "status-update",
  status: task.status,
  final,
});

const withAdvice = (task: Task): Task => {
  const parts = [{ kind: "text", text: "Still working: go on with tasks/get" }];
  const message = { kind: "message", role: "agent", messageId: `${task.id}-continue`, ...of(task), parts };
  return { ...task, status: { ...task.status, message } };
};
