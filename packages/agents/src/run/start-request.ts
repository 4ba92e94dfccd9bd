import {
  type Fields,
  freeMap,
  type JsonObject,
  listOf,
  type Model,
  model,
  optional,
  optionalInteger,
  optionalText,
  reader,
} from "@downbeat/engine";
import { agentConfigModel } from "../config/read.ts";
import { optionalObject } from "../config/readers.ts";
import { InvalidAgent } from "../invalid-agent.ts";

/** Body of compile, deploy and start. What an agent is comes from exactly one of its ways to say so. */
export type AgentStartRequest = {
  readonly name?: string;
  readonly agentName?: string;
  readonly version?: number;
  readonly agentVersion?: number;
  readonly agentConfig?: JsonObject;
  readonly framework?: string;
  readonly rawConfig?: JsonObject;
  readonly skillRef?: JsonObject;
  readonly prompt?: string;
  readonly model?: string;
  readonly sessionId?: string;
  readonly media: readonly string[];
  readonly context: JsonObject;
  readonly idempotencyKey?: string;
  readonly timeoutSeconds?: number;
  readonly runId?: string;
  readonly static_plan?: JsonObject;
};

/** Media that are nothing count as none. */
const media = reader({ type: "array", items: { type: "string" } }, (value, path): readonly string[] =>
  listOf(optionalText)(value ?? [], path).filter((item): item is string => item !== undefined && item.trim() !== ""),
);

/** Described as what it is read as later; until then it is kept as it was sent. */
const agentConfig = reader({ anyOf: [agentConfigModel] }, optionalObject);

const fields = {
  name: optionalText,
  agentName: optionalText,
  version: optionalInteger,
  agentVersion: optionalInteger,
  agentConfig,
  framework: optionalText,
  rawConfig: optionalObject,
  skillRef: optionalObject,
  prompt: optionalText,
  model: optionalText,
  sessionId: optionalText,
  media,
  context: freeMap,
  idempotencyKey: optionalText,
  timeoutSeconds: optionalInteger,
  runId: optionalText,
  static_plan: optional(freeMap),
};

export const startRequestModel: Model<AgentStartRequest> = model(
  "AgentStartRequest",
  // Absent properties are left out by the readers, which the types of the table cannot say.
  () => fields as unknown as Fields<AgentStartRequest>,
);

/** A deployed agent, by its name. */
export type NamedAgent = { readonly name: string; readonly version?: number };

/** The deployed agent a request names; undefined when it describes one. Throws InvalidAgent when it does both, or neither. */
export function namedAgent(request: AgentStartRequest, neither: string): NamedAgent | undefined {
  const name = request.name ?? request.agentName;
  const version = request.version ?? request.agentVersion;
  if (name === undefined && version !== undefined) throw new InvalidAgent("agentVersion requires agentName");
  if (name !== undefined && isDescribed(request)) {
    throw new InvalidAgent("Specify either agentName/agentVersion or inline agent construction details, not both");
  }
  if (name === undefined && !isDescribed(request)) throw new InvalidAgent(neither);
  return name === undefined ? undefined : { name, ...(version === undefined ? {} : { version }) };
}

const isDescribed = ({ agentConfig, framework, rawConfig, skillRef }: AgentStartRequest): boolean =>
  agentConfig !== undefined || framework !== undefined || rawConfig !== undefined || skillRef !== undefined;

/** Throws InvalidAgent when there is nothing to work on. */
export function assertHasWork({ prompt = "", media: given, context }: AgentStartRequest): void {
  if (prompt.trim() !== "" || given.length > 0 || Object.keys(context).length > 0) return;
  throw new InvalidAgent("Agent execution requires a non-empty prompt, at least one media item, or non-empty context.");
}
