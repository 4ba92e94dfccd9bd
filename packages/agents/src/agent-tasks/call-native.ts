import { isWorkflowTerminal, type JsonObject, type TaskResult, taskId } from "@downbeat/engine";
import { HttpError, type OutsideCall, terminate } from "@downbeat/server";
import { InvalidAgent } from "../invalid-agent.ts";
import { Changes } from "../run/changes.ts";
import { respond } from "../run/control.ts";
import { type AgentStartRequest, startRequestModel } from "../run/start-request.ts";
import { findWaiting, isQuestion, pendingTool, readTask } from "../run/waiting.ts";
import { readExecution, type WireExecution } from "../run/wire.ts";
import { AgentFailure, failed, refusal, result, textOfError } from "./failure.ts";
import { type Limits, read, readLimits } from "./input.ts";
import { type AgentTaskServices, callKey, outputSoFar } from "./services.ts";

/** What is kept of the run that is followed. `answering`: the question it waits at is about to be answered. */
type Followed = JsonObject & {
  readonly executionId: string;
  readonly agentStartTime: number;
  readonly answering?: string;
};

/** An agent of this server: a run of its own, which is started once and then followed to its end or its next question. */
export async function callNative(call: OutsideCall, services: AgentTaskServices): Promise<TaskResult> {
  const before = await outputSoFar(services, call);
  const limits = readLimits(call.input);
  const { executionId, agentStartTime } = before;
  const followed =
    typeof executionId === "string" && typeof agentStartTime === "number"
      ? { ...before, executionId, agentStartTime }
      : await begin(call, services);
  if (followed["answering"] !== undefined && before["answering"] === undefined) {
    // On disk first: after a crash it must be known which question the answer was for.
    return inProgress(followed, 0);
  }
  try {
    return await follow({ call, services, limits }, await answered(call, services, followed));
  } catch (error) {
    return failed(error, followed);
  }
}

const inProgress = (followed: Followed, callbackAfterSeconds: number): TaskResult =>
  result("IN_PROGRESS", followed, { callbackAfterSeconds, subWorkflowId: followed.executionId });

async function begin(call: OutsideCall, services: AgentTaskServices): Promise<Followed> {
  const prompt = read.text(call.input, "prompt");
  if (prompt === undefined) throw refusal("AGENT requires prompt");
  const { runtime } = services;
  const agentStartTime = runtime.clock();
  const resumed = read.text(call.input, "executionId");
  if (resumed === undefined) return { ...(await start(call, services)), agentStartTime, agentPollFailures: 0 };
  const run = await findRun(services, resumed);
  const [question] = (await findWaiting(runtime, resumed)).filter(({ task }) => isQuestion(task));
  const answering = question === undefined ? undefined : taskId(question.head.id, question.task.no);
  return {
    executionId: resumed,
    agentName: run.workflowName,
    agentStartTime,
    agentPollFailures: 0,
    ...(answering === undefined ? {} : { answering }),
  };
}

async function start(call: OutsideCall, { starts }: AgentTaskServices) {
  try {
    const request: AgentStartRequest = startRequestModel(requestOf(call), "");
    const { executionId, agentName } = await starts.start(request);
    return { executionId, agentName };
  } catch (error) {
    if (error instanceof InvalidAgent) throw refusalOf(error);
    if (error instanceof HttpError && error.status === 404) throw error;
    throw new Error(`Conductor agent call failed: ${textOfError(error)}`, { cause: error });
  }
}

const refusalOf = (error: Error): AgentFailure => new AgentFailure(error.message, { isTerminal: true, cause: error });

const requestFields = [
  ...["name", "version", "prompt", "sessionId", "runId", "context", "media", "model", "timeoutSeconds"],
  ...["agentConfig", "framework", "rawConfig", "skillRef", "static_plan"],
];

function requestOf(call: OutsideCall): JsonObject {
  const given = requestFields.flatMap((name) => {
    const value = call.input[name];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  const idempotencyKey = read.text(call.input, "idempotencyKey") ?? `conductor-agent-${callKey(call)}`;
  return { ...Object.fromEntries(given), idempotencyKey };
}

/** Gives the answer, unless it was given before a crash: the question it is for is no longer open then. */
async function answered(call: OutsideCall, { runtime }: AgentTaskServices, followed: Followed): Promise<Followed> {
  const { answering, ...rest } = followed;
  if (answering === undefined) return followed;
  const open = await findWaiting(runtime, followed.executionId);
  const isOpen = open.some(({ head, task }) => taskId(head.id, task.no) === answering);
  const answer = { result: read.text(call.input, "prompt") ?? "" };
  if (isOpen) await respond(runtime, followed.executionId, answer);
  return rest as Followed;
}

async function findRun({ runtime }: AgentTaskServices, id: string): Promise<WireExecution> {
  try {
    return await readExecution(runtime, id, false);
  } catch (error) {
    throw new Error(`Conductor agent call failed: ${textOfError(error)}`, { cause: error });
  }
}

type Following = { readonly call: OutsideCall; readonly services: AgentTaskServices; readonly limits: Limits };

/** However seldom a task wants to look: timers cannot wait for months. */
const LONGEST_LOOK_MS = 3_600_000;

/** Looks at once when the run commits something, and by timer in any case. */
async function follow({ call, services, limits }: Following, followed: Followed): Promise<TaskResult> {
  const { runtime } = services;
  const id = followed.executionId;
  const leftMs = followed.agentStartTime + limits.maxDurationSeconds * 1000 - runtime.clock();
  if (leftMs <= 0) {
    await cancelRun(services, id, "The task that runs it has no more time").catch(() => undefined);
    throw refusal(
      `AGENT exceeded max duration of ${limits.maxDurationSeconds}s without the agent reaching a terminal state`,
    );
  }
  const changed = new Changes();
  const giveUp = (): void => changed.end();
  const end = await runtime.feed.watch(id, () => changed.tell());
  const timer = setTimeout(giveUp, Math.min(leftMs, limits.pollIntervalSeconds * 1000, LONGEST_LOOK_MS));
  call.signal.addEventListener("abort", giveUp, { once: true });
  if (call.signal.aborted) giveUp();
  try {
    for (;;) {
      const settled = await settledRun(services, call, followed);
      if (settled !== undefined) return settled;
      if (changed.isEnded) return inProgress(followed, 0);
      await changed.next();
    }
  } catch (error) {
    return lookFailed(limits, followed, error);
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", giveUp);
    end();
  }
}

function lookFailed(limits: Limits, followed: Followed, error: unknown): TaskResult {
  const failures = (typeof followed["agentPollFailures"] === "number" ? followed["agentPollFailures"] : 0) + 1;
  if (failures >= limits.maxPollFailures)
    throw refusal(`Conductor agent unreachable after ${failures} consecutive poll failures: ${textOfError(error)}`);
  return inProgress({ ...followed, agentPollFailures: failures }, limits.pollIntervalSeconds);
}

/** Undefined while the run works. */
async function settledRun(
  services: AgentTaskServices,
  call: OutsideCall,
  followed: Followed,
): Promise<TaskResult | undefined> {
  const { runtime } = services;
  const id = followed.executionId;
  const head = await runtime.loadHead(id);
  const isOpen = head !== undefined && !isWorkflowTerminal(head.status);
  const [waiting] = isOpen ? await findWaiting(runtime, id) : [];
  // Looked at after every commit of the run: it is read only when there is something to tell.
  if (isOpen && waiting === undefined) return undefined;
  const run = await readExecution(runtime, id, false);
  const more = { subWorkflowId: id };
  if (run.status === "COMPLETED") return result("COMPLETED", outputOf(call, followed, run, "completed"), more);
  if (run.status === "TERMINATED") {
    const reasonForIncompletion = run.reasonForIncompletion ?? "Conductor agent execution was canceled";
    return result("CANCELED", outputOf(call, followed, run, "canceled"), { ...more, reasonForIncompletion });
  }
  if (run.status === "FAILED" || run.status === "TIMED_OUT") {
    const reasonForIncompletion = run.reasonForIncompletion ?? "Conductor agent execution failed";
    return result("FAILED", outputOf(call, followed, run, "failed"), { ...more, reasonForIncompletion });
  }
  const question = waiting === undefined ? undefined : await readTask(runtime, waiting);
  if (question === undefined) return undefined;
  const output = outputOf(call, followed, run, "input-required");
  return result("COMPLETED", { ...output, waiting: true, pendingTool: pendingTool(question) }, more);
}

function outputOf(call: OutsideCall, followed: Followed, run: WireExecution, state: string): JsonObject {
  const { executionId: id } = followed;
  const contextId = read.text(run.input, "session_id") ?? id;
  const said = run.output["result"];
  const text = said === undefined || said === null ? "" : typeof said === "string" ? said : JSON.stringify(said);
  const isDone = state === "completed";
  const artifacts = [{ artifactId: `${id}-result`, name: "result", parts: [{ kind: "text", text }] }];
  const agentType = read.text(call.input, "agentType") ?? "native";
  return {
    ...followed,
    agentPollFailures: 0,
    agentName: run.workflowName,
    ...(run.endTime > 0 ? { agentEndTime: run.endTime } : {}),
    state,
    taskId: id,
    contextId,
    text: isDone ? text : (run.reasonForIncompletion ?? ""),
    ...(isDone ? { artifacts, output: run.output } : {}),
    task: {
      kind: "task",
      id,
      contextId,
      status: { state },
      ...(isDone ? { artifacts } : {}),
      metadata: { agentType, executionId: id, agentName: run.workflowName },
    },
  };
}

/** A run that is over already is as good as cancelled. Throws a 404 where there is none. */
export async function cancelRun({ runtime }: AgentTaskServices, id: string, reason: string): Promise<void> {
  await readExecution(runtime, id, false);
  const head = await runtime.loadHead(id);
  if (head !== undefined && !isWorkflowTerminal(head.status)) await terminate(reason)(runtime, id);
}
