import { type Api, flag, freeObject, json, listOf, nothing, optionsBody, sendValue, textOr } from "@downbeat/server";
import type { Agents } from "../run/agents.ts";
import { detailOfSkill, summaryOfSkill } from "../skills/registry/skill-record.ts";
import type { SkillRegistry } from "../skills/registry/skill-registry.ts";
import { deployedModel, skillDetailModel, skillFileModel, skillSummaryModel } from "./models.ts";
import { SkillUploads } from "./skill-uploads.ts";

const VERSION = "A version, `latest`, or the beginning of its checksum";

/** Skills: packages of instructions, scripts and files that agents are made of. */
export function skillRoutes(api: Api, skills: SkillRegistry, agents: Agents): void {
  const uploads = new SkillUploads(skills.limits.packageBytes);
  const detail = json(skillDetailModel, "The skill");

  api.withRequest(
    "POST",
    "/skills/register",
    {
      summary: "Register a version of a skill",
      description:
        "Without a version in the manifest it is the beginning of the checksum. The same package again is the version there is.",
      body: uploads.body,
      answers: { 200: detail },
    },
    async ({ request }, reply) => {
      const { manifest, bytes } = await uploads.take(request);
      return sendValue(reply, detailOfSkill(await skills.register(manifest, bytes)));
    },
  );

  api.get(
    "/skills",
    {
      summary: "Registered skills",
      query: { allVersions: flag(false, "All versions, not the latest of each alone") },
      answers: { 200: json(listOf(skillSummaryModel), "By name and version") },
    },
    async ({ query }, reply) => sendValue(reply, (await skills.list(query.allVersions)).map(summaryOfSkill)),
  );

  api.get(
    "/skills/:name",
    { summary: "The latest version of a skill", answers: { 200: detail } },
    async (call, reply) => sendValue(reply, detailOfSkill(await skills.find(call.params.name))),
  );

  api.get(
    "/skills/:name/versions/:version",
    { summary: "A version of a skill", description: VERSION, answers: { 200: detail } },
    async ({ params }, reply) => sendValue(reply, detailOfSkill(await skills.find(params.name, params.version))),
  );

  api.get(
    "/skills/:name/versions/:version/files",
    {
      summary: "A file of a skill",
      description: VERSION,
      query: { path: textOr("", "Its path in the package") },
      answers: { 200: json(skillFileModel, "The file, as text or as base64") },
    },
    async ({ params, query }, reply) =>
      sendValue(reply, await skills.preview(await skills.find(params.name, params.version), query.path)),
  );

  api.get(
    "/skills/:name/versions/:version/package",
    {
      summary: "The package of a skill",
      description: VERSION,
      answers: { 200: { description: "The zip", contentType: "application/octet-stream" } },
    },
    async ({ params }, reply) => {
      const record = await skills.find(params.name, params.version);
      return reply
        .header("content-type", "application/octet-stream")
        .header("content-disposition", `attachment; filename="${record.name}-${record.version}.zip"`)
        .send(await skills.bytesOf(record));
    },
  );

  api.post(
    "/skills/:name/versions/:version/deploy",
    {
      summary: "Deploy a skill as an agent",
      description: VERSION,
      body: optionsBody(
        { type: "object", properties: { model: { type: "string" }, agentModels: freeObject } },
        "The models it is to use, where they are not those of its manifest",
      ),
      answers: { 200: json(deployedModel, "Its name and version, and the workers a run may need") },
    },
    async ({ params: { name, version }, body }, reply) => {
      const { model, agentModels } = body;
      const { version: found } = await skills.find(name, version);
      const ref = { name, version: found, ...(model && { model }), ...(agentModels && { agentModels }) };
      const request = await agents.settle({ skillRef: ref, media: [], context: {} });
      const { def, compiled } = await agents.register(agents.describe(request));
      return sendValue(reply, {
        agentName: def.name,
        version: def.version,
        requiredWorkers: compiled.requiredWorkers,
      });
    },
  );

  api.delete(
    "/skills/:name/versions/:version",
    {
      summary: "Remove a version of a skill",
      description: "Agents made of it stay.",
      answers: { 204: nothing("Removed") },
    },
    async ({ params }, reply) => {
      await skills.remove(await skills.find(params.name, params.version));
      return reply.code(204).send();
    },
  );
}
