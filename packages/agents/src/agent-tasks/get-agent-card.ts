import type { JsonObject } from "@downbeat/engine";
import { refusal, result, textOfError, told } from "./failure.ts";
import { read, readHeaders } from "./input.ts";
import { RemoteAgent } from "./remote-agent.ts";
import type { AgentTask, AgentTaskServices } from "./services.ts";

/** GET_AGENT_CARD: what a remote agent says of itself. */
export const getAgentCard: AgentTask = {
  type: "GET_AGENT_CARD",
  run: async ({ input, signal }, services) =>
    result("COMPLETED", { agentCard: await findCard(input, services, signal) }),
};

/** The card of the agent at `agentUrl`. */
export async function findCard(
  input: JsonObject,
  { fetch }: AgentTaskServices,
  signal: AbortSignal,
): Promise<JsonObject> {
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
