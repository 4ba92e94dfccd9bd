import { timingSafeEqual } from "node:crypto";
import { isJsonObject, isTerminal, type JsonObject, parseTaskId, type Task, type TaskResult } from "@downbeat/engine";
import {
  type Api,
  fillSecrets,
  freeObject,
  HttpError,
  invalidInput,
  json,
  mapBody,
  notFound,
  nothing,
  sendValue,
} from "@downbeat/server";
import { agent } from "../agent-tasks/agent.ts";
import { AgentFailure, result, textOfError } from "../agent-tasks/failure.ts";
import { findCard } from "../agent-tasks/get-agent-card.ts";
import { readHeaders } from "../agent-tasks/input.ts";
import { RemoteAgent } from "../agent-tasks/remote-agent.ts";
import { readAnswer, settledResult } from "../agent-tasks/remote-task.ts";
import type { AgentTaskServices } from "../agent-tasks/services.ts";

const READ_BACK_MS = 30_000;
const SERVICE_TOKENS = ["x-a2a-notification-token", "x-service-a2a-token", "x-conductor-a2a-token"];

/** What remote agents call back at, and what editors ask before they call one. */
export function a2aClientRoutes(api: Api, services: AgentTaskServices): void {
  api.post(
    "/a2a/agent-card",
    {
      summary: "The card of a remote agent",
      body: mapBody("`agentUrl`, and `headers` to ask with"),
      answers: { 200: json(freeObject, "`agentCard`") },
    },
    async ({ body }, reply) => {
      try {
        return sendValue(reply, { agentCard: await findCard(body, services, AbortSignal.timeout(READ_BACK_MS)) });
      } catch (error) {
        if (error instanceof AgentFailure) throw badRequest(error);
        throw unreachable(textOfError(error));
      }
    },
  );

  api.withRequest(
    "POST",
    "/a2a/callback/:taskId",
    {
      summary: "How a remote agent says that it is done",
      description:
        "With the token it was given, as Bearer. The agent is asked for how it stands: what is sent is not trusted.",
      body: mapBody("Anything"),
      answers: { 200: nothing() },
    },
    async ({ params, request }, reply) => {
      const found = await findCalled(services, params.taskId);
      if (!isToken(tokenIn(request.headers), found.output["pushToken"], services.runtime.clock()))
        throw new HttpError(403, "The token is not the one that this task gave, or it is too old");
      if (!isTerminal(found.task.status)) await readBack(services, found);
      return reply.send();
    },
  );
}

const unreachable = (message: string): HttpError => new HttpError(502, message, { retryable: true });

const badRequest = (error: Error): HttpError => invalidInput(error.message);

type Called = { readonly id: string; readonly task: Task; readonly input: JsonObject; readonly output: JsonObject };

async function findCalled({ runtime }: AgentTaskServices, taskId: string): Promise<Called> {
  const place = parseTaskId(taskId);
  const task = place && (await runtime.store.executions.task(place.executionId, place.no));
  if (place === undefined || task === undefined || task.taskType !== agent.type)
    throw notFound(`No AGENT task found: ${taskId}`);
  const read = async (slot: "input" | "output"): Promise<JsonObject> => {
    const raw = await runtime.store.executions.payload(place.executionId, place.no, slot);
    const { value } = await runtime.payloads.whole(raw);
    return isJsonObject(value) ? value : {};
  };
  return { id: place.executionId, task, input: await read("input"), output: await read("output") };
}

function tokenIn(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const { authorization } = headers;
  const bearer = typeof authorization === "string" ? /^Bearer (.+)$/i.exec(authorization)?.[1] : undefined;
  const named = SERVICE_TOKENS.map((name) => headers[name]).find((value) => typeof value === "string");
  return bearer ?? (typeof named === "string" ? named : "");
}

/** Compared in a time that tells nothing of the token. */
function isToken(given: string, expected: unknown, now: number): boolean {
  if (typeof expected !== "string" || Buffer.byteLength(given) !== Buffer.byteLength(expected)) return false;
  const expiry = Number(expected.slice(expected.lastIndexOf(":") + 1));
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected)) && now < expiry;
}

async function readBack(services: AgentTaskServices, { id, task, input, output }: Called): Promise<void> {
  const { taskId: remoteId, a2aEndpoint } = output;
  if (typeof remoteId !== "string" || typeof a2aEndpoint !== "string") return;
  const headers = readHeaders(fillSecrets(task, { value: input }, services.runtime.secrets));
  const remote = new RemoteAgent(services.fetch, a2aEndpoint, headers, AbortSignal.timeout(READ_BACK_MS));
  let settled: TaskResult | undefined;
  try {
    const answer = readAnswer(await remote.call("tasks/get", { id: remoteId }));
    settled = settledResult({ ...answer, taskId: answer.taskId ?? remoteId }, output);
  } catch (error) {
    throw unreachable(remote.masked(`The agent could not be asked: ${textOfError(error)}`));
  }
  if (settled === undefined) return;
  const { status, output: told, reasonForIncompletion = "" } = settled;
  // A worker's result cannot cancel a task; it ends it for good.
  const report: TaskResult =
    status === "CANCELED"
      ? result("FAILED_WITH_TERMINAL_ERROR", isJsonObject(told?.value ?? null) ? (told?.value as JsonObject) : {}, {
          reasonForIncompletion,
        })
      : settled;
  await services.runtime.dispatch(id, { kind: "task-result", no: task.no, result: report, onlyIfOpen: true });
}
