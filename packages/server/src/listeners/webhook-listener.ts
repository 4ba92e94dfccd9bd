import { createHmac } from "node:crypto";
import type { Config } from "../config.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { Listener, Redirect, Told } from "./listener.ts";
import type { Notice, WorkflowEventName } from "./notice.ts";

/** The words of the settings for what happens to executions. */
const statusWords: Readonly<Record<WorkflowEventName, string>> = {
  started: "RUNNING",
  completed: "COMPLETED",
  terminated: "TERMINATED",
  paused: "PAUSED",
  resumed: "RESUMED",
  restarted: "RESTARTED",
  retried: "RETRIED",
  reran: "RERAN",
  finalized: "FINALIZED",
};

type WebhookOptions = {
  readonly config: Config;
  readonly client: OutboundClient;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
};

/** Posts summaries of executions (workflow_publisher) or of tasks (task_publisher) to a URL, signed if there is a secret. */
export function webhookListener(kind: "workflow" | "task", { config, client, now, signal }: WebhookOptions): Listener {
  const workflowStatuses = new Set(upper(config["service.status-notifier.notification.subscribedWorkflowStatuses"]));
  const taskStatuses = new Set(upper(config["service.status-notifier.notification.subscribedTaskStatuses"]));
  return {
    name: kind === "workflow" ? "workflow_publisher" : "task_publisher",
    wants(notice, isEnabled) {
      if (notice.kind !== kind) return false;
      if (notice.kind === "task")
        return isEnabled && notice.task.taskType !== "SUB_WORKFLOW" && taskStatuses.has(notice.task.status);
      // The ends are told whatever the definition says.
      const isEnd = notice.event === "completed" || notice.event === "terminated";
      return (isEnabled || isEnd) && workflowStatuses.has(statusWords[notice.event]);
    },
    async tell(told) {
      const body = Buffer.from(told.summary, "utf8");
      const timestamp = String(Math.floor(now() / 1000));
      const { statusCode } = await client.send({
        method: "POST",
        url: addressOf(config, told.notice, told.redirect),
        headers: headersOf(config, told, timestamp, body),
        body,
        signal,
      });
      if (statusCode < 200 || statusCode >= 300) throw new Error(`Expected a status of 2xx, got ${statusCode}`);
    },
  };
}

const upper = (words: readonly string[]): readonly string[] => words.map((word) => word.toUpperCase());

function addressOf(config: Config, { kind }: Notice, redirect: Redirect): string {
  const base = redirect.url ?? config["service.status-notifier.notification.url"];
  const endpoint =
    kind === "workflow"
      ? (redirect.endpointWorkflow ?? config["service.status-notifier.notification.endpointWorkflow"])
      : (redirect.endpointTask ?? config["service.status-notifier.notification.endpointTask"]);
  return endpoint === "" ? base : `${base.replace(/\/$/, "")}/${endpoint.replace(/^\//, "")}`;
}

function headersOf(config: Config, { id }: Told, timestamp: string, body: Buffer): readonly [string, string][] {
  const prefer = config["service.status-notifier.notification.headerPrefer"];
  const secret = config["service.status-notifier.notification.signing-secret"];
  return [
    ["Accept", "application/json"],
    ["Content-Type", "application/json"],
    ["webhook-id", id],
    ["webhook-timestamp", timestamp],
    ...(secret === "" ? [] : [["webhook-signature", signature(secret, { id, timestamp, body })] as [string, string]]),
    ...(prefer === ""
      ? []
      : [[prefer, config["service.status-notifier.notification.headerPreferValue"]] as [string, string]]),
  ];
}

export type SignedParts = { readonly id: string; readonly timestamp: string; readonly body: Buffer | string };

/** As Standard Webhooks writes it: receivers check it with a library they have. */
export function signature(secret: string, { id, timestamp, body }: SignedParts): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
