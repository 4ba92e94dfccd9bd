import type { ConfigEntry } from "./config-values.ts";

/** Settings of those who are told of changes of status. */
export const listenerSettings = [
  {
    key: "service.workflow-status-listener.type",
    type: "enum",
    values: ["stub", "workflow_publisher", "queue_publisher", "kafka", "composite"],
    default: "stub",
    description:
      "Who is told what happens to executions: nobody (`stub`), a webhook (`workflow_publisher`), internal queues that event handlers listen to (`queue_publisher`), Kafka, or several (`composite`).",
  },
  {
    key: "service.workflow-status-listener.composite.types",
    type: "list",
    default: "",
    description: "With `composite`: which of workflow_publisher, queue_publisher and kafka.",
  },
  {
    key: "service.workflow-status-listener.queue-publisher.successQueue",
    type: "string",
    default: "_callbackSuccessQueue",
    description: "Internal queue for executions that completed.",
  },
  {
    key: "service.workflow-status-listener.queue-publisher.failureQueue",
    type: "string",
    default: "_callbackFailureQueue",
    description: "Internal queue for executions that failed, timed out or were terminated.",
  },
  {
    key: "service.workflow-status-listener.queue-publisher.finalizeQueue",
    type: "string",
    default: "_callbackFinalizeQueue",
    description: "Internal queue for executions that ended either way.",
  },
  {
    key: "service.workflow-status-listener.kafka.default-topic",
    type: "string",
    default: "workflow-status-events",
    description: "Kafka topic for what happens to executions.",
  },
  {
    key: "service.workflow-status-listener.kafka.event-topics",
    type: "list",
    default: "",
    description: "Kafka topics for single events, such as `completed=orders-done,terminated=orders-failed`.",
  },
  {
    key: "service.task-status-listener.type",
    type: "enum",
    values: ["stub", "task_publisher", "queue_publisher", "kafka"],
    default: "stub",
    description:
      "Who is told what happens to tasks: nobody (`stub`), a webhook (`task_publisher`), an internal queue (`queue_publisher`) or Kafka.",
  },
  {
    key: "service.task-status-listener.queue-publisher.queue",
    type: "string",
    default: "_callbackTaskQueue",
    description: "Internal queue for what happens to tasks.",
  },
  {
    key: "service.task-status-listener.kafka.default-topic",
    type: "string",
    default: "task-status-events",
    description: "Kafka topic for what happens to tasks.",
  },
  {
    key: "service.status-notifier.notification.url",
    type: "string",
    default: "",
    secret: "password-in-url",
    description: "Webhook of the status listeners: its address.",
  },
  {
    key: "service.status-notifier.notification.endpointWorkflow",
    type: "string",
    default: "",
    description: "Webhook: added to the address for executions.",
  },
  {
    key: "service.status-notifier.notification.endpointTask",
    type: "string",
    default: "",
    description: "Webhook: added to the address for tasks.",
  },
  {
    key: "service.status-notifier.notification.subscribedWorkflowStatuses",
    type: "list",
    default: "COMPLETED,TERMINATED",
    description:
      "Webhook: which of RUNNING, COMPLETED, TERMINATED, PAUSED, RESUMED, RESTARTED, RETRIED, RERAN and FINALIZED are told.",
  },
  {
    key: "service.status-notifier.notification.subscribedTaskStatuses",
    type: "list",
    default: "",
    description: "Webhook: which statuses of tasks are told, such as `COMPLETED,FAILED`.",
  },
  {
    key: "service.status-notifier.notification.headerPrefer",
    type: "string",
    default: "",
    description: "Webhook: name of one more header.",
  },
  {
    key: "service.status-notifier.notification.headerPreferValue",
    type: "string",
    default: "",
    description: "Webhook: its value.",
  },
  {
    key: "service.status-notifier.notification.signing-secret",
    type: "string",
    default: "",
    secret: true,
    description:
      "Webhook: secret that requests are signed with, as Standard Webhooks says; `whsec_` before it means base64.",
  },
  {
    key: "service.status-notifier.notification.requestTimeOutMsConnect",
    type: "duration",
    default: "3s",
    description: "Webhook: time to connect.",
  },
  {
    key: "service.status-notifier.notification.requestTimeoutMsread",
    type: "duration",
    default: "10s",
    description: "Webhook: longest silence of the other side.",
  },
  {
    key: "service.status-notifier.notification.requestRetryCount",
    type: "integer",
    min: 0,
    default: "3",
    description: "Webhook: quick attempts after the first; then they become rarer.",
  },
  {
    key: "service.status-notifier.notification.requestRetryCountIntervalMs",
    type: "duration",
    default: "50ms",
    description: "Webhook: time between quick attempts.",
  },
  {
    key: "service.status-notifier.notification.connectionPoolMaxRequest",
    type: "integer",
    min: 1,
    default: "10",
    description: "Status listeners: how many notices are under way at once.",
  },
  {
    key: "service.status-notifier.notification.give-up-after",
    type: "duration",
    default: "1d",
    description: "Status listeners: a notice that nobody took for so long is put aside as a dead letter.",
  },
] as const satisfies readonly ConfigEntry[];
