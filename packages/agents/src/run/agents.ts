import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type WorkflowDef } from "@downbeat/engine";
import { checkWorkflowDef, invalidInput, notFound, type Runtime } from "@downbeat/server";
import { liftAgentTools } from "../agent-tools.ts";
import { type CompiledAgent, compileAgent } from "../compile-agent.ts";
import { InvalidAgent } from "../invalid-agent.ts";
import { withSandboxTools } from "../sandbox/sandbox-tools.ts";
import type { SkillRegistry } from "../skills/registry/skill-registry.ts";
import { type Described, type DescribeOptions, describe, describedAgent } from "./describe.ts";
import type { AgentStartRequest, NamedAgent } from "./start-request.ts";

export type Registered = { readonly compiled: CompiledAgent; readonly def: WorkflowDef };

/** Name and version of the definition that inline starts of an agent replace, so that they do not pile up. */
const STARTED_INLINE = "agent-inline";
const TRIES = 10;

export const isAgent = (def: WorkflowDef | undefined): def is WorkflowDef =>
  String(def?.metadata["classifier"] ?? "").toLowerCase() === "agent";

/** Agents as registered definitions. */
export class Agents {
  readonly #runtime: Runtime;
  readonly #options: DescribeOptions;
  /** Undefined while they are switched off. */
  readonly #skills: SkillRegistry | undefined;

  constructor(runtime: Runtime, skills?: SkillRegistry) {
    this.#runtime = runtime;
    this.#skills = skills;
    const adkModel = runtime.config["service.agents.adk-model"];
    this.#options = adkModel === "" ? {} : { adkModel };
  }

  /** The agents there are, each in its latest version, by name. */
  list(): readonly WorkflowDef[] {
    return this.#runtime.definitions.latestWorkflowDefs().filter(isAgent);
  }

  /** Throws a 404 where there is no such agent. */
  find({ name, version }: NamedAgent): WorkflowDef {
    const def = this.#runtime.definitions.findWorkflowDef(name, version);
    if (!isAgent(def)) throw notFound(`Agent not found: ${name}${version === undefined ? "" : ` v${version}`}`);
    return def;
  }

  /** What the agent was described with. */
  sourceOf(def: WorkflowDef): JsonObject {
    const source = def.metadata["agentDef"];
    if (!isJsonObject(source)) throw notFound(`No agent definition found for: ${def.name}`);
    return source;
  }

  async remove(named: NamedAgent): Promise<void> {
    const { name, version } = this.find(named);
    await this.#runtime.definitions.deleteWorkflowDef(name, version);
  }

  /** A request whose skill, if it names one, stands in it. Throws InvalidAgent, or a 404 where there is no such skill. */
  async settle({ skillRef, ...request }: AgentStartRequest): Promise<AgentStartRequest> {
    if (skillRef === undefined) return request;
    if (this.#skills === undefined) throw new InvalidAgent("Skill registry is not available");
    return { ...request, framework: "skill", rawConfig: await this.#skills.rawConfig(skillRef) };
  }

  describe(request: AgentStartRequest): Described {
    return describedAgent(request, this.#options);
  }

  /** A deployed agent, as it was described. */
  describeDeployed(def: WorkflowDef): Described {
    const source = def.metadata["agentDef"];
    if (!isJsonObject(source))
      throw new InvalidAgent(`Registered agent definition is missing metadata.agentDef: ${def.name} v${def.version}`);
    const framework = def.metadata["agent_sdk"];
    const isNative = framework === undefined || framework === "conductor" || framework === "native";
    return isNative
      ? describe(source, this.#options)
      : describedAgent(asFramework(String(framework), source), this.#options);
  }

  /** Stores nothing. */
  compile(described: Described): CompiledAgent {
    return this.#compile(described, () => undefined);
  }

  /**
   * Registers an agent, the agents that serve it as tools before it, and task definitions of its workers. An unchanged
   * definition keeps its version. `isInline`: it came with a start, and takes the place of what the last such start left.
   */
  async register(described: Described, isInline = false): Promise<Registered> {
    const versions = new Map<string, number>();
    for (const child of liftAgentTools(described.config).children) {
      const inner = describe({ ...child.agentConfig, name: child.workflowName }, this.#options);
      const { def } = await this.register(inner, isInline);
      versions.set(child.workflowName, def.version);
    }
    const compiled = this.#compile(described, (name) => versions.get(name));
    // Workers first: what a definition names must be there when it is started.
    await this.#registerWorkers(compiled);
    await checkWorkflowDef(this.#runtime, compiled.workflowDef, { prefix: "workflowDef", strict: false });
    return { compiled, def: await this.#store(compiled.workflowDef, isInline) };
  }

  #compile(described: Described, agentToolVersion: (name: string) => number | undefined): CompiledAgent {
    const { config, framework, agentDef } = described;
    const settings = this.#runtime.config;
    const lifted = liftAgentTools(config).config;
    return compileAgent(settings["service.agents.sandbox.enabled"] ? withSandboxTools(lifted) : lifted, {
      ...(framework === undefined ? {} : { framework }),
      agentDef,
      contextMaxSize: settings["service.agents.context.max-size"],
      contextMaxValueSize: settings["service.agents.context.max-value-size"],
      agentToolVersion,
    });
  }

  async #registerWorkers({ workerDefs }: CompiledAgent): Promise<void> {
    const { definitions, clock } = this.#runtime;
    const defs = workerDefs
      .filter(({ def, isExternal }) => !isExternal || definitions.findTaskDef(def.name) === undefined)
      .map(({ def }) => ({ ...def, known: definitions.findTaskDef(def.name) }))
      .filter(({ known, ...def }) => !isSame(known, def))
      .map(({ known, ...def }) => ({ ...def, createTime: known?.createTime ?? clock(), createdBy: "" }));
    if (defs.length > 0) await definitions.putTaskDefs(defs);
  }

  async #store(compiled: WorkflowDef, isInline: boolean): Promise<WorkflowDef> {
    const { definitions, clock } = this.#runtime;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const latest = definitions.findWorkflowDef(compiled.name);
      const inline = await this.#inlineVersion(compiled.name);
      if (latest !== undefined && isSame(latest, compiled)) {
        // Whoever deploys what was started inline wants to keep it.
        if (!isInline && inline === latest.version) await this.#noteInline(compiled.name, undefined);
        return latest;
      }
      if (latest !== undefined && isInline && inline === latest.version) {
        const def = { ...compiled, version: latest.version, createTime: latest.createTime, updateTime: clock() };
        await definitions.putWorkflowDef(def);
        return def;
      }
      const def = { ...compiled, version: (latest?.version ?? 0) + 1, createTime: clock() };
      if (!(await definitions.createWorkflowDef(def))) continue;
      if (isInline) await this.#noteInline(def.name, def.version);
      return def;
    }
    throw invalidInput(`Agent '${compiled.name}' is being deployed by others again and again: try later`);
  }

  async #inlineVersion(name: string): Promise<number | undefined> {
    const body = await this.#runtime.store.documents.find(STARTED_INLINE, name);
    return body === undefined ? undefined : Number(body);
  }

  async #noteInline(name: string, version: number | undefined): Promise<void> {
    const { store } = this.#runtime;
    if (version === undefined)
      await store.commit({ kind: "delete-documents", collection: STARTED_INLINE, ids: [name] });
    else
      await store.commit({
        kind: "put-documents",
        documents: [{ collection: STARTED_INLINE, id: name, body: String(version), mustBeNew: false }],
      });
  }
}

const asFramework = (framework: string, rawConfig: JsonObject): AgentStartRequest => ({
  framework,
  rawConfig,
  media: [],
  context: {},
});

/** The same but for the number and the times that registering gives it. */
function isSame(one: object | undefined, other: object): boolean {
  return one !== undefined && isDeepStrictEqual(bare(one), bare(other));
}

function bare(def: object): object {
  const stored = JSON.parse(JSON.stringify(def)) as Record<string, unknown>;
  for (const name of ["version", "createTime", "updateTime", "createdBy", "updatedBy", "ownerApp"]) delete stored[name];
  return stored;
}
