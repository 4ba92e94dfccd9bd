import { parentPort, workerData } from "node:worker_threads";
import type { RunField, Search, TaskField, WorkflowField } from "../port.ts";
import { openReader } from "./connection.ts";
import type { Wanted } from "./search-clause.ts";
import { createSearchQueries } from "./search-queries.ts";

/** The thread that answers searches, one after the other. It may be ended in the middle of one. */
export type SearchQuestion =
  | { readonly kind: "workflows"; readonly search: Search<WorkflowField> }
  | { readonly kind: "runs"; readonly search: Search<RunField> }
  | { readonly kind: "tasks" | "workflowsByTasks"; readonly search: Search<TaskField> }
  | {
      readonly kind: "workflowIds";
      readonly wanted: Wanted<WorkflowField>;
      readonly after: string | undefined;
      readonly limit: number;
    }
  | { readonly kind: "countWorkflows"; readonly wanted: Wanted<WorkflowField> };

/** The first message says that questions can be asked. */
export type SearchAnswer = "ready" | { readonly result: unknown } | { readonly error: string };

const port = parentPort;
if (port === null) throw new Error("Run as a worker thread");

const { path } = workerData as { path: string };
const queries = createSearchQueries(openReader(path));

port.on("message", (question: SearchQuestion) => {
  try {
    port.postMessage({ result: answer(question) } satisfies SearchAnswer);
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies SearchAnswer);
  }
});

port.postMessage("ready" satisfies SearchAnswer);

function answer(question: SearchQuestion): unknown {
  switch (question.kind) {
    case "workflows":
      return queries.workflows(question.search);
    case "runs":
      return queries.runs(question.search);
    case "tasks":
      return queries.tasks(question.search);
    case "workflowsByTasks":
      return queries.workflowsByTasks(question.search);
    case "workflowIds":
      return queries.workflowIds(question.wanted, question.after, question.limit);
    case "countWorkflows":
      return queries.countWorkflows(question.wanted);
  }
}
