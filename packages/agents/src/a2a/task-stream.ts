import type { WorkflowDef } from "@downbeat/engine";
import type { EventStream, Runtime } from "@downbeat/server";
import type { Facade } from "./facade.ts";
import { isFinal, type Task } from "./task.ts";

/** What happens inside a run is not told of; it is looked for this often. */
const LOOK_MS = 500;

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
  const end = await runtime.feed.watch(id, () => changed.tell());
  stream.onClose(() => changed.tell());
  const until = performance.now() + runtime.config["service.a2a.server.stream-max-duration-seconds"] * 1000;
  try {
    let task = await facade.task(def, id);
    send(task);
    let told = task.status.state;
    while (stream.isOpen && !isOver(task) && performance.now() < until) {
      await changed.next(LOOK_MS);
      task = await facade.task(def, id);
      if (task.status.state === told) continue;
      told = task.status.state;
      if (!isOver(task)) send(statusUpdate(task, false));
    }
    for (const artifact of task.artifacts ?? []) send({ ...of(task), kind: "artifact-update", artifact });
    send(isOver(task) ? statusUpdate(task, true) : statusUpdate(withAdvice(task), true));
  } finally {
    end();
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

/** Lets one wait for a change, or for a while. */
class Changes {
  #isTold = false;
  #wake: (() => void) | undefined;

  tell(): void {
    this.#isTold = true;
    this.#wake?.();
  }

  async next(mostMs: number): Promise<void> {
    if (!this.#isTold) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, mostMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isTold = false;
    this.#wake = undefined;
  }
}
