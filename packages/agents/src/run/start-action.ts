import { type JsonObject, RawJson, type StartEvent } from "@downbeat/engine";
import { type Effect, type Message, NotThere, type Runtime } from "@downbeat/server";
import { type Agents, isAgent } from "./agents.ts";
import { assertHasWork, startRequestModel } from "./start-request.ts";
import { runInput } from "./starts.ts";

/** What the event action start_agent does: a deployed agent is started, once for each message, or once for each key. */
export const startAgentAction =
  (runtime: Runtime, agents: Agents) =>
  async (action: JsonObject, { event }: Message): Promise<Effect> => {
    const request = startRequestModel(action, "start_agent");
    assertHasWork(request);
    const { name = request.agentName ?? "", version, idempotencyKey: key } = request;
    const def = runtime.definitions.findWorkflowDef(name, version);
    if (!isAgent(def)) throw new NotThere(`Agent not found: ${name}${version === undefined ? "" : ` v${version}`}`);
    const known = key === undefined ? undefined : await runtime.store.findIdempotent(name, key);
    const output = (executionId: string) => ({ executionId, agentName: name });
    // It was started before: looking at it again changes nothing.
    if (known !== undefined) return { target: known, event: { kind: "decide" }, output: output(known) };
    const pinned = runtime.definitions.pinRegistered(name, agents.find({ name, version: def.version }).version);
    if (pinned === undefined) throw new NotThere(`Agent not found: ${name}`);
    const start: StartEvent = {
      ...runtime.newStart(pinned, new RawJson(JSON.stringify(runInput(request)))),
      event,
      ...(key === undefined ? {} : { idempotencyKey: key, correlationId: key }),
    };
    return { target: start.id, event: start, output: output(start.id) };
  };
