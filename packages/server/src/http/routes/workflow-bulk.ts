import { isExecutionId } from "@downbeat/engine";
import { readWorkflow } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Answer, type Api, json } from "../api.ts";
import { textsBody } from "../body.ts";
import { assertValid, noSuchWorkflow, toErrorBody } from "../errors.ts";
import { bulkResponseModel, bulkWorkflowsModel } from "../models.ts";
import { type Operation, pause, remove, restart, resume, retry, terminate, terminateRemove } from "../operations.ts";
import { flag, text } from "../parameters.ts";
import { type Reply, sendJson, sendValue } from "../reply.ts";

const MOST_IDS = 1000;
const AT_ONCE = 100;

/** The same operation on up to a thousand executions, each on its own. */
export function workflowBulkRoutes(api: Api, runtime: Runtime): void {
  const body = textsBody(`Ids of executions, ${MOST_IDS} at most`);
  const answers: Record<number, Answer> = {
    200: json(bulkResponseModel, "Ids it was done to, and messages for others"),
  };
  const archiveWorkflow = flag(true, "Keep their summaries in search");
  const reason = text("Kept as reasonForIncompletion");

  const operate = async (ids: readonly string[], name: string, operation: Operation, reply: Reply) =>
    sendValue(reply, await operateOnAll(runtime, ids, name, operation));

  api.put("/workflow/bulk/pause", { summary: "Pause executions", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "pauseWorkflow", pause, reply),
  );

  api.put("/workflow/bulk/resume", { summary: "Resume executions", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "resumeWorkflow", resume, reply),
  );

  api.post(
    "/workflow/bulk/restart",
    {
      summary: "Restart executions",
      query: { useLatestDefinitions: flag(false, "With the latest definitions instead of their own") },
      body,
      answers,
    },
    ({ body: ids, query }, reply) => operate(ids, "restart", restart(query.useLatestDefinitions), reply),
  );

  api.post("/workflow/bulk/retry", { summary: "Retry executions", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "retry", retry(false), reply),
  );

  api.post(
    "/workflow/bulk/terminate",
    { summary: "Terminate executions", query: { reason }, body, answers },
    ({ body: ids, query }, reply) => operate(ids, "terminate", terminate(query.reason), reply),
  );

  api.delete(
    "/workflow/bulk/remove",
    { summary: "Remove executions", query: { archiveWorkflow }, body, answers },
    ({ body: ids, query }, reply) => operate(ids, "deleteWorkflow", remove(query.archiveWorkflow), reply),
  );

  api.delete(
    "/workflow/bulk/terminate-remove",
    { summary: "Terminate and remove executions", query: { archiveWorkflow, reason }, body, answers },
    ({ body: ids, query }, reply) =>
      operate(ids, "terminateRemove", terminateRemove(query.archiveWorkflow, query.reason), reply),
  );

  api.post(
    "/workflow/bulk/search",
    {
      summary: "Executions by their ids",
      query: { includeTasks: flag(true, "With their tasks") },
      body,
      answers: { 200: json(bulkWorkflowsModel, "Those that were found, and messages for others") },
    },
    async ({ body: ids, query: { includeTasks } }, reply) => {
      assertIds(ids, "searchWorkflow");
      const found = new Map<string, string>();
      const errors = await forEach(ids, async (id) => {
        const workflow = isExecutionId(id) ? await readWorkflow(runtime, id, { includeTasks }) : undefined;
        if (workflow === undefined) throw noSuchWorkflow(id);
        found.set(id, workflow);
      });
      const texts = ids.map((id) => found.get(id)).filter((one) => one !== undefined);
      return sendJson(
        reply,
        `{"bulkErrorResults":${JSON.stringify(Object.fromEntries(errors))},"bulkSuccessfulResults":[${texts.join(",")}]}`,
      );
    },
  );
}

/** Does it to each, once; `name` is what a complaint about the list calls the operation. */
export async function operateOnAll(
  runtime: Runtime,
  ids: readonly string[],
  name: string,
  operation: Operation,
): Promise<{ readonly bulkErrorResults: Readonly<Record<string, string>>; readonly bulkSuccessfulResults: string[] }> {
  assertIds(ids, name);
  const once = [...new Set(ids)];
  const errors = await forEach(once, (id) => operation(runtime, id));
  const bulkSuccessfulResults = once.filter((id) => !errors.has(id));
  return { bulkErrorResults: Object.fromEntries(errors), bulkSuccessfulResults };
}

function assertIds(ids: readonly string[], operation: string): void {
  const path = `${operation}.arg0`;
  if (ids.length === 0) assertValid([{ path, message: "WorkflowIds list cannot be null." }]);
  if (ids.length > MOST_IDS) {
    const message = `Cannot process more than ${MOST_IDS} workflows. Please use multiple requests.`;
    assertValid([{ path, message }]);
  }
}

/** What went wrong, by id. One that fails does not stop the others. */
async function forEach(
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const batch = ids.slice(at, at + AT_ONCE);
    await Promise.all(
      batch.map((id) =>
        work(id).catch((error: unknown) => {
          errors.set(id, toErrorBody(error).message);
        }),
      ),
    );
  }
  return errors;
}
