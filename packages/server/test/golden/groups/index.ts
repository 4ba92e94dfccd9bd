import type { Session } from "../recorder/session.ts";
import { agent } from "./agent.ts";
import { eventHandlers } from "./event-handlers.ts";
import { executions } from "./executions.ts";
import { expressions } from "./expressions.ts";
import { files } from "./files.ts";
import { messages } from "./messages.ts";
import { metadataTaskdefs } from "./metadata-taskdefs.ts";
import { metadataWorkflow } from "./metadata-workflow.ts";
import { routingErrors } from "./routing-errors.ts";
import { schedules } from "./schedules.ts";
import { signalExecute } from "./signal-execute.ts";
import { taskRetries } from "./task-retries.ts";
import { tasksPollUpdate } from "./tasks-poll-update.ts";
import { tasksQueue } from "./tasks-queue.ts";
import { workflowBulk } from "./workflow-bulk.ts";
import { workflowControl } from "./workflow-control.ts";
import { workflowGet } from "./workflow-get.ts";
import { workflowSearch } from "./workflow-search.ts";
import { workflowStart } from "./workflow-start.ts";
import { workflowTest } from "./workflow-test.ts";

/** What is sent, by the name of the file it is recorded in. */
export const groups: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  agent,
  "event-handlers": eventHandlers,
  executions,
  expressions,
  files,
  messages,
  "metadata-taskdefs": metadataTaskdefs,
  "metadata-workflow": metadataWorkflow,
  "routing-errors": routingErrors,
  schedules,
  "signal-execute": signalExecute,
  "task-retries": taskRetries,
  "tasks-poll-update": tasksPollUpdate,
  "tasks-queue": tasksQueue,
  "workflow-bulk": workflowBulk,
  "workflow-control": workflowControl,
  "workflow-get": workflowGet,
  "workflow-search": workflowSearch,
  "workflow-start": workflowStart,
  "workflow-test": workflowTest,
};
