import { describeEvent, isJsonObject, RawJson, taskId } from "@downbeat/engine";
import type { Store } from "@downbeat/store";
import type { Sinks } from "../events/sinks/sinks.ts";
import { reasonOf } from "../outbound/reason-of.ts";
import type { Executor } from "../runtime/outside-work.ts";

const CONCURRENCY = 100;

/** Publishes what EVENT tasks have for brokers. A task that is done again after a crash publishes under the same id. */
export const eventExecutor = ({ sinks, store }: { readonly sinks: Sinks; readonly store: Store }): Executor => ({
  type: "EVENT",
  concurrency: CONCURRENCY,
  async run({ head, task, input }) {
    const { produced, output: message } = describeEvent(head, task, input);
    const id = taskId(head.id, task.no);
    // What is stored names secrets; the broker gets their values, the task's output does not.
    const stored = (await store.executions.payload(head.id, task.no, "input")).value;
    const { output } = describeEvent(head, task, isJsonObject(stored) ? stored : {});
    const result = { outputMode: "replace", output: new RawJson(JSON.stringify(output)) } as const;
    try {
      await sinks.publish(produced, { id, text: JSON.stringify(message), key: head.id });
    } catch (error) {
      const why = reasonOf(error);
      const reasonForIncompletion = `Error publishing to queue:${produced}, for task:${id}, error: ${why}`;
      return { ...result, status: "FAILED", reasonForIncompletion };
    }
    return { ...result, status: output["asyncComplete"] === true ? "IN_PROGRESS" : "COMPLETED" };
  },
});
