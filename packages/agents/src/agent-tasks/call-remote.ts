import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject, type TaskResult, taskId } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import { findEntryUrl } from "./entry-url.ts";
import { AgentFailure, failed, refusal, result, textOfError } from "./failure.ts";
import { type Limits, read, readHeaders, readLimits } from "./input.ts";
import { RemoteAgent } from "./remote-agent.ts";
import { isOver, type RemoteTask, readAnswer, settledResult, stateOf } from "./remote-task.ts";
import { type AgentTaskServices, callKey, outputSoFar } from "./services.ts";

const TOKEN_VALID_MS = 86_400_000;

/** What is kept beside the remote task: since when, where, and how well it could be asked. */
type Kept = JsonObject & { readonly a2aStartedAt: number; readonly a2aEndpoint: string };

/**
 * A remote agent: it is told once, and its task looked after by timer until it ends. From when its id is on disk it is
 * never told again, whatever happens here.
 */
export async function callRemote(call: OutsideCall, services: AgentTaskServices): Promise<TaskResult> {
  const before = await outputSoFar(services, call);
  const limits = readLimits(call.input);
  const { taskId: id, a2aStartedAt, a2aEndpoint } = before;
  if (typeof id !== "string" || typeof a2aStartedAt !== "number" || typeof a2aEndpoint !== "string")
    return await submit(call, services, limits);
  const agent = new RemoteAgent(services.fetch, a2aEndpoint, readHeaders(call.input), call.signal);
  const look: Look = { call, services, limits, agent, id, before: { ...before, a2aStartedAt, a2aEndpoint } };
  try {
    return await lookAfter(look);
  } catch (error) {
    call.signal.throwIfAborted();
    return failed(error, before);
  }
}

async function submit(call: OutsideCall, services: AgentTaskServices, limits: Limits): Promise<TaskResult> {
  const { input, signal } = call;
  const named = (await findEntryUrl(services, call)) ?? read.text(input, "agentUrl");
  if (named === undefined) throw refusal("AGENT requires agentUrl");
  const message = messageOf(call);
  const headers = readHeaders(input);
  const endpoint = await resolveEndpoint(new RemoteAgent(services.fetch, named.trim(), headers, signal));
  const agent = new RemoteAgent(services.fetch, endpoint, headers, signal);
  const pushToken = pushTokenFor(call, services);
  const params = { message, configuration: configurationOf(call, services, pushToken) };
  const remote = await tell(agent, params, read.flag(input, "streaming"));
  const kept: Kept = {
    a2aStartedAt: services.runtime.clock(),
    a2aPollFailures: 0,
    a2aEndpoint: endpoint,
    ...(pushToken === undefined ? {} : { pushToken }),
  };
  const over = settledResult(remote, kept);
  if (over !== undefined) return over;
  if (remote.taskId === undefined) throw new Error("Failed to call agent: its answer has neither an end nor a task id");
  // Soon, also where the agent calls back: it may have done so before this is on disk.
  const again = read.flag(input, "streaming") ? 0 : limits.pollIntervalSeconds;
  return result("IN_PROGRESS", { ...kept, ...remote }, { callbackAfterSeconds: again });
}

/** The first of these that says something. */
function messageOf(call: OutsideCall): JsonObject {
  const { input } = call;
  const [given, parts] = [read.object(input, "message"), read.list(input, "parts")];
  const text = read.text(input, "text") ?? read.text(input, "prompt");
  const isGiven = given !== undefined && Object.keys(given).length > 0;
  if (!isGiven && parts.length === 0 && text === undefined)
    throw refusal("AGENT requires one of: message, parts, text, or prompt");
  const [contextId, remoteId] = [read.text(input, "contextId"), read.text(input, "taskId")];
  const metadata = read.object(input, "metadata");
  return {
    kind: "message",
    role: "user",
    messageId: `a2a-${callKey(call)}`,
    ...(contextId === undefined ? {} : { contextId }),
    ...(remoteId === undefined ? {} : { taskId: remoteId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(isGiven ? given : { parts: parts.length > 0 ? parts : [{ kind: "text", text: text ?? "" }] }),
  };
}

async function resolveEndpoint(agent: RemoteAgent): Promise<string> {
  try {
    return await agent.endpoint();
  } catch (error) {
    if (error instanceof AgentFailure && error.isTerminal) throw error;
    throw new Error(agent.masked(`Failed to resolve A2A endpoint: ${textOfError(error)}`), { cause: error });
  }
}

/** Not waited for: what the agent does is looked after, so that nothing is lost with a connection. */
function configurationOf(call: OutsideCall, { runtime }: AgentTaskServices, token: string | undefined): JsonObject {
  const history = call.input["historyLength"];
  const base = runtime.config["service.a2a.callback.url"].replace(/\/+$/, "");
  const url = `${base}/api/a2a/callback/${taskId(call.head.id, call.task.no)}`;
  return {
    blocking: false,
    ...(typeof history === "number" ? { historyLength: history } : {}),
    ...(token === undefined
      ? {}
      : {
          pushNotificationConfig: { url, token, authentication: { schemes: ["Bearer"], credentials: token } },
        }),
  };
}

/** Undefined when nobody may call back: then the agent is asked, rarely. */
function pushTokenFor({ input }: OutsideCall, { runtime }: AgentTaskServices): string | undefined {
  if (!read.flag(input, "pushNotification") || runtime.config["service.a2a.callback.url"] === "") return undefined;
  return `${randomUUID()}:${runtime.clock() + TOKEN_VALID_MS}`;
}

async function tell(agent: RemoteAgent, params: JsonObject, isStreamed: boolean): Promise<RemoteTask> {
  try {
    if (!isStreamed) return readAnswer(await agent.call("message/send", params));
    // Only the beginning: it names the task, which is then followed from what is on disk.
    for await (const answer of agent.stream("message/stream", params)) {
      const told = readAnswer(answer);
      const named = typeof answer["taskId"] === "string" ? { ...told, taskId: answer["taskId"] } : told;
      if (named.taskId !== undefined || isOver(named.state)) return named;
    }
    throw new Error("its stream ended before it said anything");
  } catch (error) {
    if (error instanceof AgentFailure) throw error;
    throw new Error(agent.masked(`Failed to call agent: ${textOfError(error)}`), { cause: error });
  }
}

type Look = {
  readonly call: OutsideCall;
  readonly services: AgentTaskServices;
  readonly limits: Limits;
  readonly agent: RemoteAgent;
  readonly id: string;
  readonly before: Kept;
};

async function lookAfter(look: Look): Promise<TaskResult> {
  const { call, services, limits, agent, id } = look;
  const leftMs = look.before.a2aStartedAt + limits.maxDurationSeconds * 1000 - services.runtime.clock();
  if (leftMs <= 0) {
    await agent.call("tasks/cancel", { id }).catch(() => undefined);
    const { maxDurationSeconds: most } = limits;
    throw refusal(`AGENT exceeded max duration of ${most}s without the remote agent reaching a terminal state`);
  }
  const hasStream = read.flag(call.input, "streaming") && look.before["a2aStreams"] !== false;
  const kept: Kept = hasStream && !(await follow(look, leftMs)) ? { ...look.before, a2aStreams: false } : look.before;
  const history = call.input["historyLength"];
  let remote: RemoteTask;
  try {
    const params = { id, ...(typeof history === "number" ? { historyLength: history } : {}) };
    remote = readAnswer(await agent.call("tasks/get", params));
  } catch (error) {
    return lookFailed(look, kept, error);
  }
  const told = { ...kept, a2aPollFailures: 0 };
  const over = settledResult({ ...remote, taskId: remote.taskId ?? id }, told);
  if (over !== undefined) return over;
  const again = nextLook(call, limits, kept, services);
  return result("IN_PROGRESS", { ...told, ...remote, taskId: id }, { callbackAfterSeconds: again });
}

/** Waits while the agent tells of its work. False when it does not: then it is asked by timer alone. */
async function follow({ call, services, agent, id }: Look, leftMs: number): Promise<boolean> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(Math.min(leftMs, 2 ** 31 - 1))]);
  const listening = new RemoteAgent(services.fetch, agent.url, readHeaders(call.input), signal);
  try {
    for await (const told of listening.stream("tasks/resubscribe", { id })) {
      const status: JsonObject = isJsonObject(told["status"]) ? told["status"] : {};
      if (told["final"] === true || isOver(stateOf(status["state"]))) break;
    }
    return true;
  } catch {
    call.signal.throwIfAborted();
    // The next question says how it stands.
    return signal.aborted;
  }
}

function lookFailed({ call, limits, agent, services }: Look, kept: Kept, error: unknown): TaskResult {
  call.signal.throwIfAborted();
  if (error instanceof AgentFailure && error.isTerminal) throw error;
  const failures = (typeof kept["a2aPollFailures"] === "number" ? kept["a2aPollFailures"] : 0) + 1;
  if (failures >= limits.maxPollFailures) {
    const why = agent.masked(textOfError(error));
    throw refusal(`A2A agent unreachable after ${failures} consecutive poll failures: ${why}`);
  }
  const again = nextLook(call, limits, kept, services);
  return result("IN_PROGRESS", { ...kept, a2aPollFailures: failures }, { callbackAfterSeconds: again });
}

/** An agent that calls back is asked rarely; and no look comes long after the task's time is over. */
function nextLook({ input }: OutsideCall, limits: Limits, kept: Kept, { runtime }: AgentTaskServices): number {
  const seconds = read.flag(input, "pushNotification")
    ? read.count(input, "pushBackstopPollSeconds", 300)
    : limits.pollIntervalSeconds;
  const left = Math.ceil((kept.a2aStartedAt - runtime.clock()) / 1000 + limits.maxDurationSeconds);
  return Math.max(1, Math.min(seconds, left));
}
