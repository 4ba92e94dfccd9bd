import { isJsonObject, isTerminal, type Json, type JsonObject, parseTaskId, RawJson } from "@downbeat/engine";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Received } from "./event-bus.ts";
import type { Sinks } from "./sinks/sinks.ts";
import { Subscription, type SubscriptionState } from "./subscriptions.ts";

type StatusQueuesOptions = {
  readonly runtime: Runtime;
  readonly sinks: Sinks;
  readonly putAside: (received: Received, reason: string) => Promise<void>;
};

type Status = "COMPLETED" | "FAILED";

/** What a message is about. */
type Target = { readonly workflowId: string; readonly taskRefName?: string; readonly taskId?: string };

/**
 * Two queues of one broker whose messages end tasks that wait: one completes them, one fails them. A message says which
 * task in `externalId`, and is its output.
 */
export class StatusQueues {
  readonly #options: StatusQueuesOptions;
  /** Events by the status they set; empty where no broker is chosen. */
  readonly events: ReadonlyMap<Status, string>;
  #open: readonly Subscription[] = [];

  constructor(options: StatusQueuesOptions) {
    this.#options = options;
    this.events = statusEvents(options.runtime.config, options.sinks);
  }

  start(): void {
    const { runtime, sinks, putAside } = this.#options;
    const { log, newExecutionId: newId } = runtime;
    this.#open = [...this.events].map(([status, event]) => {
      const receive = async ({ payload }: Received) => {
        await this.#endTask(status, event.startsWith("kafka:") ? unwrapped(payload) : payload);
        return { isDuplicate: false };
      };
      return new Subscription(event, { sinks, log, newId, receive, putAside });
    });
  }

  states(): readonly SubscriptionState[] {
    return this.#open.map((subscription) => subscription.state());
  }

  /** Messages in each queue, as far as its broker counts them. */
  async sizes(): Promise<Readonly<Record<string, number>>> {
    const sizes: Record<string, number> = {};
    for (const event of this.events.values()) {
      const size = await this.#options.sinks.size(event);
      if (size !== undefined) sizes[event.slice(event.indexOf(":") + 1)] = size;
    }
    return sizes;
  }

  /** Sends a message that ends a task. False when no queue is for this status. */
  async send(status: string, target: Target, output: JsonObject): Promise<boolean> {
    const event = this.events.get(status as Status);
    if (event === undefined) return false;
    const { newExecutionId } = this.#options.runtime;
    const text = JSON.stringify({ ...output, externalId: JSON.stringify(target) });
    await this.#options.sinks.publish(event, { id: newExecutionId(), text, key: target.workflowId });
    return true;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((subscription) => subscription.stop()));
  }

  /** A message that cannot be understood, or is about nothing that waits, is only logged: it would never be otherwise. */
  async #endTask(status: Status, payload: Json): Promise<void> {
    const { runtime } = this.#options;
    const target = targetOf(payload);
    const found = target === undefined ? undefined : await this.#findTask(target);
    if (found === undefined) {
      runtime.log.warn("A message of a status queue is about no open task", { status, target: target ?? null });
      return;
    }
    await runtime.dispatch(found.executionId, {
      kind: "task-result",
      no: found.no,
      result: { status, outputMode: "merge", output: new RawJson(JSON.stringify(payload)) },
    });
  }

  async #findTask({ workflowId, taskRefName, taskId }: Target) {
    const { runtime } = this.#options;
    const byId = taskId === undefined ? undefined : parseTaskId(taskId);
    if (byId !== undefined) {
      const task = await runtime.findTask(byId.executionId, byId.no);
      return task === undefined || isTerminal(task.status) ? undefined : byId;
    }
    const head = await runtime.loadHead(workflowId);
    if (head === undefined) return undefined;
    const task =
      taskRefName === undefined
        ? (await runtime.store.executions.open(head, Number.MAX_SAFE_INTEGER)).find(
            ({ taskType }) => taskType === "WAIT",
          )
        : await runtime.findOpenTask(workflowId, taskRefName);
    return task === undefined ? undefined : { executionId: workflowId, no: task.no };
  }
}

const unwrapped = (payload: Json): Json => (isJsonObject(payload) ? (payload["payload"] ?? null) : null);

/** `externalId` is a text that holds JSON. */
function targetOf(payload: Json): Target | undefined {
  const text = isJsonObject(payload) ? payload["externalId"] : undefined;
  if (typeof text !== "string") return undefined;
  try {
    const id = JSON.parse(text) as Json;
    if (!isJsonObject(id) || typeof id["workflowId"] !== "string") return undefined;
    const { workflowId, taskRefName, taskId } = id;
    return {
      workflowId,
      ...(typeof taskRefName === "string" ? { taskRefName } : {}),
      ...(typeof taskId === "string" ? { taskId } : {}),
    };
  } catch {
    // Not JSON: nobody can say what it is about.
    return undefined;
  }
}

function statusEvents(config: Config, sinks: Sinks): ReadonlyMap<Status, string> {
  const type = config["service.default-event-queue.type"];
  const provider = type === "amqp" ? "amqp_queue" : type;
  if (type === "none" || !sinks.enabled.has(provider)) return new Map();
  const prefixes = {
    sqs: config["service.event-queues.sqs.listenerQueuePrefix"],
    amqp: config["service.event-queues.amqp.listenerQueuePrefix"],
    kafka: config["service.event-queues.kafka.listener-queue-prefix"],
    jsm: config["service.event-queues.jsm.listenerQueuePrefix"],
  };
  const stack = config["service.app.stack"];
  const usual = `${config["service.app.appId"]}_${type}_notify_${stack === "" ? "" : `${stack}_`}`;
  // JetStream puts its prefix before every subject by itself.
  const prefix = prefixes[type] === "" ? usual : type === "jsm" ? "" : prefixes[type];
  return new Map((["COMPLETED", "FAILED"] as const).map((status) => [status, `${provider}:${prefix}${status}`]));
}
