import type { TaskResult } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import { cancelRun } from "./call-native.ts";
import { refusal, result, textOfError, told } from "./failure.ts";
import { read, readAgentType, readHeaders } from "./input.ts";
import { RemoteAgent } from "./remote-agent.ts";
import type { AgentTask, AgentTaskServices } from "./services.ts";

/** CANCEL_AGENT: ends the task of a remote agent, or a run of an agent of this server. */
export const cancelAgent: AgentTask = {
  type: "CANCEL_AGENT",
  run: async (call, services) =>
    readAgentType(call.input) === "a2a" ? await cancelRemote(call, services) : await cancelNative(call, services),
};

async function cancelRemote({ input, signal }: OutsideCall, { fetch }: AgentTaskServices): Promise<TaskResult> {
  const [agentUrl, id] = [read.text(input, "agentUrl"), read.text(input, "taskId")];
  if (agentUrl === undefined) throw refusal("CANCEL_AGENT requires 'agentUrl'");
  if (id === undefined) throw refusal("CANCEL_AGENT requires 'taskId'");
  const named = new RemoteAgent(fetch, agentUrl.trim(), readHeaders(input), signal);
  try {
    const agent = new RemoteAgent(fetch, await named.endpoint(), readHeaders(input), signal);
    return result("COMPLETED", { task: await agent.call("tasks/cancel", { id }) });
  } catch (error) {
    throw told(error, named.masked(`Failed to cancel A2A task: ${textOfError(error)}`));
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
