import {
  type Head,
  isExecutionId,
  isWorkflowTerminal,
  type JsonObject,
  RawJson,
  type TaskResult,
} from "@downbeat/engine";
import { assertAccepted, conflict, invalidInput, noSuchWorkflow, notFound, type Runtime } from "@downbeat/server";
import { isPull, isQuestion, type OpenTask, openTasks, readTask, textOf } from "./waiting.ts";

const TRIES = 20;

/**
 * Answers the question a run waits at: its own first, else the only one inside it. What the answer says is laid over the
 * task's output.
 */
export async function respond(runtime: Runtime, id: string, answer: JsonObject): Promise<void> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  if (isWorkflowTerminal(head.status))
    throw conflict(`Execution ${id} is over (${head.status}): nothing waits for an answer`);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const question = await findQuestion(runtime, id);
    if (question === undefined) throw invalidInput(`No pending HUMAN task found in execution ${id}`);
    const output = await withResponse(runtime, question, answer);
    const result: TaskResult = {
      status: "COMPLETED",
      outputMode: "merge",
      output: new RawJson(JSON.stringify(output)),
    };
    const refusal = await runtime.dispatch(question.head.id, {
      kind: "task-result",
      no: question.task.no,
      result,
      onlyIfOpen: true,
    });
    // Another answer was faster.
    if (refusal?.code === "conflict") continue;
    assertAccepted(refusal);
    return;
  }
  throw conflict(`Others keep answering in execution ${id}: look at its status and try again`);
}

async function findQuestion(runtime: Runtime, id: string): Promise<OpenTask | undefined> {
  const inside: OpenTask[] = [];
  for await (const open of openTasks(runtime, id)) {
    if (!isQuestion(open.task)) continue;
    if (open.head.id === id) return open;
    inside.push(open);
  }
  if (inside.length > 1) {
    const ids = inside.map(({ head }) => head.id).join(", ");
    throw invalidInput(`Several runs inside ${id} wait for an answer; answer one of them: ${ids}`);
  }
  return inside[0];
}

/** A human tool reads `response`; answers come as `message` or `result` too. */
async function withResponse(runtime: Runtime, question: OpenTask, answer: JsonObject): Promise<JsonObject> {
  if (answer["response"] !== undefined) return answer;
  const said = answer["message"] ?? answer["result"];
  if (said === undefined) return answer;
  const schema = (await readTask(runtime, question))?.inputData["response_schema"];
  const properties = (schema as { readonly properties?: object } | undefined)?.properties ?? {};
  return Object.hasOwn(properties, "response") ? { ...answer, response: said } : answer;
}

const noSuchRun = (id: string) => notFound(`No agent execution found: ${id}`);

/** Throws a 404 in the words of these operations. */
async function findRun(runtime: Runtime, id: string): Promise<Head> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchRun(id);
  return head;
}

/** Tells the agent something, from its next turn on, until it is told something else. A run that is over hears nothing. */
export async function signal(runtime: Runtime, id: string, message: string): Promise<void> {
  const head = await findRun(runtime, id);
  if (!isWorkflowTerminal(head.status)) await setVariables(runtime, id, { _signal_injection: message });
}

/** Lets the run, and the runs inside it, end after the turn they are in. One that waits for a message gets none. */
export async function stop(runtime: Runtime, id: string): Promise<void> {
  const head = await findRun(runtime, id);
  if (isWorkflowTerminal(head.status)) return;
  const pulls: OpenTask[] = [];
  const runs = new Set([id]);
  for await (const open of openTasks(runtime, id)) {
    runs.add(open.head.id);
    if (isPull(open.task)) pulls.push(open);
  }
  for (const run of runs) await setVariables(runtime, run, { _stop_requested: true });
  const result: TaskResult = {
    status: "COMPLETED",
    outputMode: "merge",
    output: new RawJson('{"messages":[],"count":0}'),
  };
  for (const { head: waiting, task } of pulls)
    await runtime.dispatch(waiting.id, { kind: "task-result", no: task.no, result });
}

/** A run that ended meanwhile needs no telling. */
async function setVariables(runtime: Runtime, id: string, variables: JsonObject): Promise<void> {
  const refusal = await runtime.dispatch(id, { kind: "set-variables", variables });
  if (refusal?.code !== "conflict" && refusal?.code !== "no-execution") assertAccepted(refusal);
}

/** The message of a signal. */
export const signalText = (body: JsonObject): string => textOf(body["message"]) ?? "";
