import { createHash } from "node:crypto";
import type { JsonObject } from "@downbeat/engine";
import { startServer } from "@downbeat/server/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extension } from "../../src/index.ts";
import { type AgentServer, says, startAgentServer } from "../support/agent-server.ts";
import { aZip } from "./a-zip.ts";

let server: AgentServer;
beforeAll(async () => {
  server = await startAgentServer({
    settings: { "service.skills.enabled": "true", "service.skills.max-package-bytes": "600000" },
  });
});
afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.close();
});

const skillMd = (name: string, body = "Be thorough.") =>
  `---\nname: ${name}\ndescription: The ${name} skill\n---\n${body}\n`;

/** A package as a skill's author would zip it. */
const aPackage = (
  name: string,
  { body = "Be thorough.", more = [] as { path: string; content: string | Buffer }[] } = {},
) =>
  aZip([
    { path: "SKILL.md", content: skillMd(name, body) },
    { path: "judge-agent.md", content: "Judge it." },
    { path: "scripts/build.sh", content: "make" },
    { path: "references/api.md", content: "# API" },
    ...more,
  ]);

async function register(bytes: Buffer, manifest: object | string | undefined) {
  const form = new FormData();
  if (manifest !== undefined) form.set("manifest", typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  form.set("package", new Blob([new Uint8Array(bytes)]), "skill.zip");
  const answer = await fetch(`${server.client.base}/skills/register`, { method: "POST", body: form });
  return { status: answer.status, json: (await answer.json()) as JsonObject };
}

const model = "openai/gpt-4o-mini";

test("a skill is registered, listed, looked into, fetched and removed", async () => {
  const image = Buffer.from([0, 1, 2, 255]);
  const bytes = aPackage("whole", { more: [{ path: "assets/a.bin", content: image }] });
  const checksum = createHash("sha256").update(bytes).digest("hex");
  const first = await register(bytes, { version: "1.0+a", model, metadata: { team: "x" }, extra: 1 });
  expect(first).toMatchObject({
    status: 200,
    json: {
      name: "whole",
      version: "1.0+a",
      description: "The whole skill",
      checksum,
      status: "READY",
      packageSize: bytes.length,
      fileCount: 5,
      metadata: { team: "x" },
      rawConfig: {
        model,
        agentFiles: { judge: "Judge it." },
        scripts: { build: { filename: "build.sh", language: "bash" } },
        resourceFiles: ["assets/a.bin", "references/api.md"],
      },
    },
  });
  expect((await register(bytes, { version: "1.0+a" })).json).toEqual(first.json);
  const other = await register(aPackage("whole", { body: "Other." }), {});
  expect(other.json["version"]).toMatch(/^[0-9a-f]{12}$/);
  const { client } = server;
  const listed = async (query = "") => (await client.get(`/skills${query}`)).json as JsonObject[];
  expect((await listed()).map(({ version }) => version)).toEqual([other.json["version"]]);
  expect(await listed("?allVersions=true")).toMatchObject([
    { name: "whole", version: "1.0+a", scriptCount: 1, subAgentCount: 1, resourceCount: 2 },
    { name: "whole", version: other.json["version"], fileCount: 4 },
  ]);
  const at = async (version: string) => (await client.get(`/skills/whole/versions/${version}`)).json;
  expect(await at(encodeURIComponent("1.0+a"))).toEqual(first.json);
  expect(await at(checksum.slice(0, 10))).toEqual(first.json);
  expect([await at("latest"), (await client.get("/skills/whole")).json]).toEqual([other.json, other.json]);
  const file = (path: string) =>
    client.get(`/skills/whole/versions/${checksum}/files?path=${encodeURIComponent(path)}`);
  expect((await file("references/api.md")).json).toEqual({
    path: "references/api.md",
    contentType: "text/markdown",
    size: 5,
    binary: false,
    content: "# API",
  });
  expect((await file("assets/a.bin")).json).toMatchObject({ binary: true, contentBase64: image.toString("base64") });
  const fetched = await fetch(`${client.base}/skills/whole/versions/${checksum}/package`);
  expect(fetched.headers.get("content-disposition")).toBe('attachment; filename="whole-1.0+a.zip"');
  expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
  expect((await client.delete(`/skills/whole/versions/${checksum}`)).status).toBe(204);
  expect((await client.get(`/skills/whole/versions/${checksum}`)).status).toBe(404);
  expect((await listed("?allVersions=true")).map(({ version }) => version)).toEqual([other.json["version"]]);
});

test("whoever watches what is stored hears of skills that are registered and removed", async () => {
  const answer = await fetch(`${server.client.base}/admin/metadata/stream`, { signal: AbortSignal.timeout(15_000) });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const hear = async (wanted: string) => {
    let text = "";
    while (!text.includes(wanted)) text += (await reader?.read())?.value ?? "";
  };
  await register(aPackage("watched"), { version: "1" });
  await hear('{"kind":"skill","name":"watched"}');
  await server.client.delete("/skills/watched/versions/1");
  await hear('{"kind":"skill","name":"watched"}');
  await reader?.cancel();
});

test("a skill is deployed and run as an agent, with the models it is told", async () => {
  await register(aPackage("runner"), { version: "1" });
  const deployed = await server.client.post("/skills/runner/versions/latest/deploy", { model });
  expect([deployed.status, deployed.json]).toMatchObject([
    200,
    { agentName: "runner", requiredWorkers: ["runner__build", "runner__read_skill_file"] },
  ]);
  server.script("runner_llm", [says("done")]);
  const started = async (body: object) => (await server.client.post("/agent/start", body)).json as JsonObject;
  const byName = await server.ended(String((await started({ name: "runner", prompt: "go" }))["executionId"]));
  expect([byName.status, byName.output["result"]]).toEqual(["COMPLETED", "done"]);
  const skillRef = { name: "runner", version: "1", model, params: { tone: "dry" } };
  const byRef = await server.ended(String((await started({ skillRef, prompt: "go" }))["executionId"]));
  expect(byRef.status).toBe("COMPLETED");
  expect(JSON.stringify(server.asked("runner_llm").at(-1))).toContain("[Skill Parameters]\\ntone: dry");
});

test("a skill that refers to another has it as a tool, in the version there was", async () => {
  await register(aPackage("planner", { body: "Plan like this." }), { version: "1" });
  await register(aPackage("writer", { body: "First use the planner skill, then call the missing skill." }), {
    version: "1",
    model,
  });
  await register(aPackage("planner", { body: "Plan in another way." }), { version: "2" });
  const { json } = await server.client.post("/agent/compile", { skillRef: { name: "writer" } });
  const text = JSON.stringify(json);
  expect(text).toContain("planner");
  expect(((await server.client.get("/skills/writer")).json as JsonObject)["rawConfig"]).toMatchObject({
    crossSkillRefsPinned: { planner: "1" },
  });
  // Removed, it cannot be expanded any more.
  await server.client.delete("/skills/planner/versions/1");
  const broken = await server.client.post("/agent/compile", { skillRef: { name: "writer" } });
  expect([broken.status, broken.json]).toMatchObject([404, { message: "Skill not found: planner@1" }]);
});

describe("a caller's mistake", () => {
  const zip = aPackage("wrong");
  test.each([
    ["no manifest", zip, undefined, "Skill manifest is required"],
    ["a manifest that is no JSON", zip, "{", /^Invalid skill manifest JSON: /],
    ["a manifest that is a list", zip, "[]", /^Invalid skill manifest JSON: /],
    ["another name", zip, { name: "x" }, "Skill manifest name 'x' does not match package SKILL.md name 'wrong'"],
    ["a version of other letters", zip, { version: "a/b" }, /^Invalid skill version 'a\/b'\. Use 1-128 characters/],
    ["an empty package", Buffer.alloc(0), {}, "Skill package is required"],
    ["no zip", Buffer.from("hello"), {}, /^Invalid skill package zip: /],
    ["a package that is too large", Buffer.alloc(600_001), {}, "Skill package exceeds max size of 600000 bytes"],
    ["a body that is too large", Buffer.alloc(6_000_000), {}, "Skill package exceeds max size of 600000 bytes"],
  ])("%s is refused", async (_, bytes, manifest, message) => {
    const { status, json } = await register(bytes, manifest);
    expect([status, json["message"]]).toEqual([
      400,
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });

  test("other content under a version that is taken, a body that is no form, and what is not there", async () => {
    await register(zip, { version: "7" });
    const again = await register(aPackage("wrong", { body: "Other." }), { version: "7" });
    expect([again.status, again.json["message"]]).toEqual([
      400,
      "Skill wrong version 7 already exists with a different checksum",
    ]);
    const { client } = server;
    expect((await client.post("/skills/register", { name: "a" })).status).toBe(400);
    const texts = async (path: string) => {
      const { status, json } = await client.get(path);
      return [status, (json as JsonObject)["message"]];
    };
    expect(await texts("/skills/nobody")).toEqual([404, "Skill not found: nobody"]);
    expect(await texts("/skills/wrong/versions/9")).toEqual([404, "Skill not found: wrong@9"]);
    expect(await texts("/skills/wrong/versions/7/files")).toEqual([400, "File path is required"]);
    expect(await texts("/skills/wrong/versions/7/files?path=x")).toEqual([404, "Skill file not found: x"]);
    expect(await texts("/skills/wrong/versions/7/files?path=../x")).toEqual([400, "Invalid skill package path: ../x"]);
    const without = await client.post("/agent/compile", { skillRef: { version: "1" } });
    expect(without.status).toBe(400);
  });
});

test("without the switch there are no skills", async () => {
  const plain = await startServer({ extensions: [extension] });
  expect((await plain.client.get("/skills")).status).toBe(404);
  const { status, json } = await plain.client.post("/agent/compile", { skillRef: { name: "a" } });
  expect([status, json]).toMatchObject([400, { message: "Skill registry is not available" }]);
  await plain.close();
});
