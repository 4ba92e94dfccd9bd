import { type Head, isTerminal, RawJson, type Task, type View, type Work, type WorkflowPart } from "@downbeat/engine";
import type { WholeExecution } from "@downbeat/store";

/** The engine's view of an execution that was loaded whole, for reading only. */
export class WholeView implements View {
  readonly #whole: WholeExecution;
  readonly #byNo = new Map<number, WholeExecution["tasks"][number]>();
  readonly #latest = new Map<string, Task>();
  readonly #inIteration = new Map<string, Task>();

  constructor(whole: WholeExecution) {
    this.#whole = whole;
    for (const item of whole.tasks) {
      const { task } = item;
      this.#byNo.set(task.no, item);
      this.#latest.set(task.ref, task);
      this.#inIteration.set(`${task.iter}\n${task.ref}`, task);
    }
  }

  get head(): Head {
    return this.#whole.head;
  }

  findTask(no: number): Task | undefined {
    return this.#byNo.get(no)?.task;
  }

  findLatest(ref: string): Task | undefined {
    return this.#latest.get(ref);
  }

  findInIteration(ref: string, iter: string): Task | undefined {
    return this.#inIteration.get(`${iter}\n${ref}`);
  }

  /** Reading never asks what a task waits for. */
  findWork(_no: number): Work | undefined {
    return undefined;
  }

  input(no: number): RawJson {
    return this.#byNo.get(no)?.input ?? emptyObject;
  }

  output(no: number): RawJson {
    return this.#byNo.get(no)?.output ?? emptyObject;
  }

  workflow(part: WorkflowPart): RawJson {
    return this.#whole[part];
  }

  openTasks(limit: number): readonly Task[] {
    return this.allTasks()
      .filter((task) => !isTerminal(task.status))
      .slice(0, limit);
  }

  unfollowedTasks(): readonly Task[] {
    return this.allTasks().filter((task) => isTerminal(task.status) && !task.executed && !task.retried);
  }

  allTasks(): readonly Task[] {
    return this.#whole.tasks.map(({ task }) => task);
  }

  joinedOutputs(joinNo: number): ReadonlyMap<string, RawJson> {
    const outputs = new Map<string, RawJson>();
    for (const { task, output } of this.#whole.tasks) if (task.join === joinNo) outputs.set(task.ref, output);
    return outputs;
  }

  loopTasks(loopNo: number): readonly { readonly task: Task; readonly output: RawJson }[] {
    return this.#whole.tasks.filter(({ task }) => task.scope === loopNo);
  }

  /** Reading never takes messages. */
  messages(_from: number, _to: number): readonly string[] {
    return [];
  }
}

const emptyObject = new RawJson("{}");
