import type { TaskDef, TaskResult, TaskType } from "@downbeat/engine";
import type { Executor, OutsideCall } from "@downbeat/server";
import { callNative, cancelRun } from "./call-native.ts";
import { callRemote } from "./call-remote.ts";
import { AgentFailure, failed, refusal, result, textOfError } from "./failure.ts";
import { read, readAgentType, readHeaders } from "./input.ts";
import { RemoteAgent } from "./remote-agent.ts";
import type { AgentTaskServices } from "./services.ts";

export const AGENT = "AGENT";
const CANCEL_AGENT = "CANCEL_AGENT";
const GET_AGENT_CARD = "GET_AGENT_CARD";

/** Agents fail for a moment now and then: a definition that asks for no retries gets these. */
const withRetries = (def: TaskDef): TaskDef =>
  def.retryCount >= 1 ? def : { ...def, retryCount: 3, retryDelaySeconds: 2, retryLogic: "LINEAR_BACKOFF" };

export const agentCallTypes: readonly TaskType[] = [
  { type: AGENT, mode: "outside", initialStatus: "SCHEDULED", taskDef: withRetries },
  { type: CANCEL_AGENT, mode: "outside", initialStatus: "SCHEDULED" },
  { type: GET_AGENT_CARD, mode: "outside", initialStatus: "SCHEDULED" },
];

/** Who runs them on this server. */
export function agentCallExecutors(services: AgentTaskServices): readonly Executor[] {
  const concurrency = services.runtime.config["service.ai.concurrency"];
  const executor = (
    type: string,
    run: (call: OutsideCall, services: AgentTaskServices) => Promise<TaskResult>,
  ): Executor => ({
    type,
    concurrency,
    run: (call) => run(call, services).catch((error: unknown) => failed(error)),
  });
  return [executor(AGENT, callAgent), executor(CANCEL_AGENT, cancelAgent), executor(GET_AGENT_CARD, getAgentCard)];
}

const callAgent = async (call: OutsideCall, services: AgentTaskServices): Promise<TaskResult> =>
  readAgentType(call.input) === "a2a" ? await callRemote(call, services) : await callNative(call, services);

async function cancelAgent(call: OutsideCall, services: AgentTaskServices): Promise<TaskResult> {
  const { input, signal } = call;
  if (readAgentType(input) === "native") return await cancelNative(call, services);
  const [agentUrl, id] = [read.text(input, "agentUrl"), read.text(input, "taskId")];
  if (agentUrl === undefined) throw refusal("CANCEL_AGENT requires 'agentUrl'");
  if (id === undefined) throw refusal("CANCEL_AGENT requires 'taskId'");
  const agent = new RemoteAgent(services.fetch, agentUrl.trim(), readHeaders(input), signal);
  try {
    const url = agent.url.endsWith(".json") ? String((await agent.card())["url"] ?? "") : agent.url;
    const endpoint = new RemoteAgent(services.fetch, url, readHeaders(input), signal);
    return result("COMPLETED", { task: await endpoint.call("tasks/cancel", { id }) });
  } catch (error) {
    throw told(error, agent.masked(`Failed to cancel A2A task: ${textOfError(error)}`));
  }
}

async function cancelNative({ input }: OutsideCall, services: AgentTaskServices): Promise<TaskResult> {
  const executionId = read.text(input, "executionId");
  if (executionId === undefined) throw refusal("CANCEL_AGENT requires 'executionId'");
  try {
    await cancelRun(services, executionId, read.text(input, "reason") ?? "Cancelled by CANCEL_AGENT task");
  } catch (error) {
    throw told(error, `Failed to cancel agent execution ${executionId}: ${textOfError(error)}`);
  }
  return result("COMPLETED", { executionId, canceled: true });
}

async function getAgentCard({ input, signal }: OutsideCall, services: AgentTaskServices): Promise<TaskResult> {
  return result("COMPLETED", { agentCard: await findCard(input, services, signal) });
}

/** The card of the agent at `agentUrl`. */
export async function findCard(
  input: OutsideCall["input"],
  { fetch }: AgentTaskServices,
  signal: AbortSignal,
): Promise<object> {
  const type = read.text(input, "agentType") ?? "a2a";
  if (type.toLowerCase() !== "a2a") throw refusal(`Unsupported agentType '${type}' (only 'a2a' is supported)`);
  const agentUrl = read.text(input, "agentUrl");
  if (agentUrl === undefined) throw refusal("GET_AGENT_CARD requires 'agentUrl'");
  const agent = new RemoteAgent(fetch, agentUrl.trim(), readHeaders(input), signal);
  try {
    return await agent.card();
  } catch (error) {
    throw told(error, agent.masked(`Failed to fetch agent card from ${agent.url}: ${textOfError(error)}`));
  }
}

/** What the rules forbid is forbidden the next time too, in their own words; any other failure may pass. */
const told = (error: unknown, message: string): Error =>
  error instanceof AgentFailure && error.isTerminal && /^agentUrl /.test(error.message)
    ? error
    : new Error(message, { cause: error });
