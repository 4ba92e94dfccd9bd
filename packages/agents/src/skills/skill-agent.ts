import { isJsonObject, type JsonObject, ownMember } from "@downbeat/engine";
import { frameworkAgent } from "../frameworks/agent.ts";
import { findObject, findText, ifAny } from "../frameworks/raw.ts";
import { agentTool, workerTool } from "../frameworks/tools.ts";
import { InvalidAgent } from "../invalid-agent.ts";
import { withoutParameters, withParameters } from "./parameters.ts";
import { type Section, splitBody } from "./sections.ts";
import { readSkillMd } from "./skill-md.ts";
import { withWorkspaceNote, workspaceRoots, workspaceTools } from "./workspace.ts";

/** The AgentConfig of a skill, from its rawConfig. Throws InvalidAgent. */
export function skillAgent(rawConfig: JsonObject): JsonObject {
  return agentOf(rawConfig, { path: [], model: undefined });
}

type Outer = {
  /** Names of the skills around this one, the outermost first. */
  readonly path: readonly string[];
  /** For a skill that names no model. */
  readonly model: string | undefined;
};

function agentOf(raw: JsonObject, outer: Outer): JsonObject {
  const skillMd = readSkillMd(findText(raw, "skillMd") ?? "");
  const { name, description, metadata } = skillMd;
  const path = [...outer.path, name];
  if (outer.path.includes(name)) {
    throw new InvalidAgent(`Circular skill reference detected: '${name}' is reached by way of ${path.join(" -> ")}`);
  }
  const model = findText(raw, "model") ?? outer.model;
  const roots = workspaceRoots(raw);
  // An SDK has written the parameters into the body already, after it looked how long it is.
  const { instructions, sections } = splitBody({ ...skillMd, body: withoutParameters(skillMd.body) });
  const params = { ...skillMd.params, ...findObject(raw, "defaultParams"), ...findObject(raw, "params") };
  return frameworkAgent({
    name,
    description,
    model,
    instructions: withWorkspaceNote(withParameters(instructions, params), name, roots),
    tools: ifAny([
      ...subAgents(raw, { skill: name, model, roots }),
      ...scripts(raw, name),
      ...fileReader(raw, name, sections),
      ...workspaceTools(name, roots),
      ...otherSkills(raw, { path, model }),
    ]),
    metadata,
  });
}

type Skill = { readonly skill: string; readonly model: string | undefined; readonly roots: readonly string[] };

function subAgents(raw: JsonObject, { skill, model, roots }: Skill): readonly JsonObject[] {
  const models = findObject(raw, "agentModels") ?? {};
  return Object.entries(findObject(raw, "agentFiles") ?? {}).flatMap(([name, text]) => {
    if (typeof text !== "string") return [];
    const tool = agentTool({
      name: `${skill}__${name}`,
      description: `Invoke the ${name} agent`,
      inputSchema: withRequired({ request: requestFor(`the ${name} agent`) }),
      agentConfig: frameworkAgent({
        name,
        model: findText(models, name) ?? model,
        instructions: withWorkspaceNote(text, skill, roots),
        tools: ifAny(workspaceTools(skill, roots)),
      }),
    });
    return [tool];
  });
}

function scripts(raw: JsonObject, skill: string): readonly JsonObject[] {
  return Object.keys(findObject(raw, "scripts") ?? {}).map((script) =>
    workerTool({
      name: `${skill}__${script}`,
      description: `Run ${script} script from ${skill} skill`,
      inputSchema: withRequired({
        command: { type: "string", description: `Arguments to pass to the ${script} script` },
      }),
    }),
  );
}

function fileReader(raw: JsonObject, skill: string, sections: readonly Section[]): readonly JsonObject[] {
  const resources = ownMember(raw, "resourceFiles");
  const files = Array.isArray(resources) ? resources.filter((file) => typeof file === "string") : [];
  // An SDK lists the sections among the files.
  const readable = [...new Set([...files, ...sections.map(({ slug }) => `skill_section:${slug}`)])];
  if (readable.length === 0) return [];
  return [
    workerTool({
      name: `${skill}__read_skill_file`,
      description: `Read a file or a section of the instructions that comes with the ${skill} skill`,
      inputSchema: withRequired({
        path: {
          type: "string",
          description: "Path of the file in the skill, or skill_section: and the name of a section",
          enum: readable,
        },
      }),
    }),
  ];
}

function otherSkills(raw: JsonObject, inner: Outer): readonly JsonObject[] {
  return Object.entries(findObject(raw, "crossSkillRefs") ?? {}).flatMap(([name, reference]) => {
    if (!isJsonObject(reference)) return [];
    const agentConfig = agentOf(reference, inner);
    const tool = agentTool({
      name,
      description: findText(agentConfig, "description") ?? `Invoke the ${name} skill`,
      inputSchema: withRequired({ request: requestFor(`the ${name} skill`) }),
      agentConfig,
    });
    return [tool];
  });
}

const requestFor = (whom: string): JsonObject => ({
  type: "string",
  description: `What to ask of ${whom}: everything it has to know, since it sees nothing of this conversation`,
});

/** An object whose properties are all required. */
const withRequired = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
