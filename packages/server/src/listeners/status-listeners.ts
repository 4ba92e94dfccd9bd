import { type Head, isWorkflowTerminal, type PublishEvent, RawJson, type Send } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import { ConfigError } from "../config.ts";
import type { Events } from "../events/events.ts";
import { refuseAddresses } from "../outbound/address-policy.ts";
import { createOutboundClient, type OutboundClient } from "../outbound/client.ts";
import type { Committed } from "../runtime/commit-feed.ts";
import type { Transitioned } from "../runtime/dispatcher.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Deliveries } from "./deliveries.ts";
import type { Listener } from "./listener.ts";
import { changedTasks, inHand, type Notice, type WorkflowEventName, workflowEvents } from "./notice.ts";
import { queueListener } from "./queue-listener.ts";
import { sinkListener } from "./sink-listener.ts";
import { kafkaListener } from "./stream-listener.ts";
import { toldOf } from "./told-text.ts";
import { webhookListener } from "./webhook-listener.ts";

/** The name before the colon of notices in the outbox. */
const PREFIX = "status-listener:";
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Tells others what happens to executions and tasks. Notices are written with the change itself and stay in the outbox
 * until they are told; those of one execution are told in order.
 */
export class StatusListeners {
  readonly #runtime: Runtime;
  readonly #listeners: readonly Listener[];
  readonly #hearsOfTasks: boolean;
  readonly #client: OutboundClient;
  readonly #deliveries: Deliveries;
  #stopWatching: () => void = () => undefined;

  constructor(runtime: Runtime, events: Events) {
    this.#runtime = runtime;
    const { config } = runtime;
    this.#client = createOutboundClient({
      connectTimeoutMs: config["service.status-notifier.notification.requestTimeOutMsConnect"],
      readTimeoutMs: config["service.status-notifier.notification.requestTimeoutMsread"],
      maxResponseBytes: MAX_RESPONSE_BYTES,
      refuse: refuseAddresses(config["service.tasks.http.blocked-addresses"]),
    });
    this.#listeners = openListeners(runtime, events, this.#client);
    this.#hearsOfTasks = this.#listeners.some(({ name }) => name.startsWith("task_"));
    this.#deliveries = new Deliveries({
      log: runtime.log,
      signal: runtime.stopping,
      attempts: config["service.status-notifier.notification.requestRetryCount"],
      intervalMs: config["service.status-notifier.notification.requestRetryCountIntervalMs"],
      giveUpMs: config["service.status-notifier.notification.give-up-after"],
      atOnce: config["service.status-notifier.notification.connectionPoolMaxRequest"],
      now: runtime.clock,
    });
  }

  /** Begins to hear of tasks that workers take. */
  start(): void {
    if (this.#hearsOfTasks) this.#stopWatching = this.#runtime.feed.watchOwn((committed) => this.#onClaim(committed));
  }

  /** What is to be written with a transition. */
  sendsOf(transitioned: Transitioned): readonly Send[] {
    const { changes } = transitioned;
    if (changes.head.test === true || !this.#isHeard(changes.head)) return [];
    const tasks = this.#hearsOfTasks ? changedTasks(changes, transitioned.taskStatusBefore) : [];
    const notices: Notice[] = [
      ...tasks.map((task): Notice => ({ kind: "task", head: slim(changes.head), task })),
      ...workflowEvents(changes, transitioned.statusBefore, transitioned.applied()).map(
        (event): Notice => ({ kind: "workflow", event, head: headFor(event, changes.head) }),
      ),
    ];
    return notices.flatMap((notice, index) => this.#sends(notice, `${changes.id}_${changes.head.rev}_${index}`));
  }

  /** Most servers tell nobody anything: then it costs one look at the definition. */
  #isHeard({ defHash }: Head): boolean {
    return (
      this.#listeners.length > 1 ||
      this.#runtime.definitions.findPlan(defHash)?.def.workflowStatusListenerSink !== undefined
    );
  }

  isNotice(event: string): boolean {
    return event.startsWith(PREFIX);
  }

  /** Takes a notice out of the outbox's hands; its row goes when it was told, or put aside. */
  deliver({ names, messageId, payload }: PublishEvent, consumes: OutboxKey): void {
    const [name = ""] = names;
    const listener = this.#listeners.find((one) => one.name === name.slice(PREFIX.length));
    const notice = payload.value as unknown as Notice;
    this.#deliveries.add({
      lane: `${name} ${notice.head.id}`,
      tell: async () => {
        // One that the settings do not name any more has nobody to tell.
        if (listener !== undefined) await listener.tell(await toldOf(this.#runtime, messageId, notice));
        await this.#runtime.consumeInto(consumes, `notice ${messageId}`, []);
      },
      putAside: (reason) =>
        this.#runtime.events.putAside({ event: name, messageId, payload: payload.value }, reason, consumes),
    });
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await this.#deliveries.idle();
    this.#client.close();
  }

  #sends(notice: Notice, id: string): readonly Send[] {
    const { head } = notice;
    const def = this.#runtime.definitions.findPlan(head.defHash)?.def;
    const isEnabled =
      notice.kind === "workflow"
        ? def?.workflowStatusListenerEnabled === true
        : (this.#runtime.definitions.findTaskDef(notice.task.taskDefName)?.["taskStatusListenerEnabled"] ?? true);
    const wanting = this.#listeners.filter((listener) => listener.wants(notice, isEnabled));
    if (wanting.length === 0) return [];
    const payload = new RawJson(JSON.stringify(notice));
    return wanting.map(({ name }) => ({
      target: `${PREFIX}${name} ${head.id}`,
      event: { kind: "publish", names: [PREFIX + name], messageId: id, payload },
    }));
  }

  /** A claim is no transition: its notice is written right after it. */
  #onClaim(committed: Committed): void {
    if (committed.kind !== "claim") return;
    const { id, no, work } = committed;
    const { log } = this.#runtime;
    const note = async (): Promise<void> => {
      const head = await this.#runtime.loadHead(id);
      const task = await this.#runtime.findTask(id, no);
      if (head === undefined || task === undefined || head.test === true) return;
      const messageId = `${id}_${no}_claim_${work.polls}`;
      const notice: Notice = { kind: "task", head: slim(head), task: inHand(task, work.startedAt) };
      const sends = this.#sends(notice, messageId);
      if (sends.length > 0) await this.#runtime.consumeInto(undefined, `notice ${messageId}`, sends);
    };
    note().catch((error: unknown) => log.warn("A notice about a task could not be written", { error: String(error) }));
  }
}

/** Containers that are open are nobody's business, and may be many. */
const slim = (head: Head): Head => ({ ...head, loops: {}, joins: {}, trees: {}, forks: {}, skipped: [] });

/** An execution may begin and end in one transition: when it began it was running. */
function headFor(event: WorkflowEventName, head: Head): Head {
  if (!begins.has(event) || !isWorkflowTerminal(head.status)) return slim(head);
  const { reasonForIncompletion: _reason, ...rest } = slim(head);
  return { ...rest, status: "RUNNING", endTime: 0, failedReferenceTaskNames: [], failedTaskNames: [] };
}

const begins: ReadonlySet<WorkflowEventName> = new Set(["started", "resumed", "restarted", "retried", "reran"]);

function openListeners(runtime: Runtime, events: Events, client: OutboundClient): readonly Listener[] {
  const { config, definitions, clock, stopping } = runtime;
  const { bus, sinks } = events;
  const type = config["service.workflow-status-listener.type"];
  const types = type === "composite" ? config["service.workflow-status-listener.composite.types"] : [type];
  const taskType = config["service.task-status-listener.type"];
  const webhook = (kind: "workflow" | "task") =>
    webhookListener(kind, { config, client, now: clock, signal: stopping });
  const open: Readonly<Record<string, () => Listener>> = {
    workflow_publisher: () => webhook("workflow"),
    queue_publisher: () => queueListener("workflow", config, bus),
    kafka: () => kafkaListener("workflow", config, sinks),
  };
  const openTask: Readonly<Record<string, () => Listener>> = {
    task_publisher: () => webhook("task"),
    queue_publisher: () => queueListener("task", config, bus),
    kafka: () => kafkaListener("task", config, sinks),
  };
  const unknown = types.filter((one) => one !== "stub" && open[one] === undefined);
  const problems = [
    ...(type === "composite" && types.length === 0
      ? ["Expected service.workflow-status-listener.composite.types to name listeners, got none"]
      : []),
    ...unknown.map(
      (one) =>
        `Expected service.workflow-status-listener.composite.types to be of workflow_publisher, queue_publisher, kafka, got "${one}"`,
    ),
    ...([...types, taskType].includes("kafka") && !sinks.enabled.has("kafka")
      ? ["Expected service.event-queues.kafka.enabled to be true when a status listener is kafka"]
      : []),
    ...((types.includes("workflow_publisher") || taskType === "task_publisher") &&
    config["service.status-notifier.notification.url"] === ""
      ? ["Expected service.status-notifier.notification.url to be the address of the webhook, got none"]
      : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const sinkOf = (defHash: string) => definitions.findPlan(defHash)?.def.workflowStatusListenerSink;
  return [
    ...types.flatMap((one) => open[one]?.() ?? []),
    ...(openTask[taskType] === undefined ? [] : [openTask[taskType]()]),
    sinkListener(sinkOf, sinks, bus),
  ];
}
