import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extractText, getDocumentProxy } from "unpdf";
import { expect, test } from "vitest";
import { saying, serveMcp } from "./support/mcp-server.ts";
import { serveOpenAi } from "./support/openai-server.ts";
import { allowing, aToolServer, hasFixtures, readFixture } from "./support/tool-server.ts";
import { waitFor } from "./support/wait-for.ts";

async function textOf(location: unknown): Promise<string> {
  const pdf = await getDocumentProxy(new Uint8Array(readFileSync(fileURLToPath(String(location)))));
  return (await extractText(pdf, { mergePages: true })).text;
}

test.runIf(hasFixtures)("what a search finds reaches the model", async () => {
  const { settings } = await serveOpenAi();
  const instances = JSON.stringify([{ name: "postgres-prod", type: "sqlite" }]);
  const { run, runTask } = await aToolServer({ ...settings, "service.vectordb.instances": instances });
  const place = {
    vectorDB: "postgres-prod",
    namespace: "kb",
    index: "articles",
    embeddingModelProvider: "openai",
    embeddingModel: "text-embedding-3-small",
  };
  await runTask("LLM_INDEX_TEXT", { ...place, docId: "vpn", text: "To reset the VPN password open the portal" });
  const { status, tasks } = await run(readFixture("06-rag-basic"), { question: "How do I reset my VPN password?" });
  expect(status).toBe("COMPLETED");
  expect(JSON.stringify(tasks.at(-1)?.outputData)).toContain("To reset the VPN password open the portal");
});

test.runIf(hasFixtures)(
  "tools are listed for a model, called as it says, and their results reach the next",
  async () => {
    const { origin } = await serveMcp("stateful");
    const { settings } = await serveOpenAi((told) =>
      told.includes("You are an AI agent")
        ? told.includes("get_weather") && told.includes("is it warm in Bergen")
          ? '{"method": "get_weather", "arguments": {"location": "Bergen"}}'
          : "no tools were shown"
        : told,
    );
    const { run } = await aToolServer({ ...settings, ...allowing(origin) });
    const fixture = readFixture("10-mcp-ai-agent", { "http://localhost:3001": origin });
    const { status, tasks } = await run(fixture, { task: "is it warm in Bergen" });
    expect(status).toBe("COMPLETED");
    expect(tasks[2]?.outputData).toMatchObject({ content: [{ parsed: { location: "Bergen", degrees: 21 } }] });
    expect(JSON.stringify(tasks[3]?.outputData)).toContain("degrees");
  },
);

test.runIf(hasFixtures)("what a model writes becomes a PDF", async () => {
  const { settings } = await serveOpenAi((told) =>
    told.includes("report writer") || told.includes("technical writer")
      ? `# On tides\n\n| Day | Time |\n|---|---|\n| Mon | 10:42 |\n\n> In short, ${told.includes("found in the web") ? "well researched" : "well put"}.`
      : "found in the web",
  );
  const { run } = await aToolServer(settings);
  const report = await run(readFixture("16-llm-to-pdf-pipeline"), { topic: "Tides", audience: "sailors" });
  expect(report.status).toBe("COMPLETED");
  expect(report.output["pdfSizeBytes"]).toBeGreaterThan(500);
  expect(await textOf(report.output["pdfLocation"])).toMatch(/On tides[\s\S]*10:42[\s\S]*well put/);
  const research = await run(readFixture("21-web-search-research-agent"), { topic: "Tides" });
  expect(research.status).toBe("COMPLETED");
  expect(await textOf(research.output["pdf"])).toContain("well researched");
});

test.runIf(hasFixtures)(
  "the governed reviewer reads, thinks, asks a person, and publishes once",
  { timeout: 60_000 },
  async () => {
    const reads: unknown[] = [];
    const published: unknown[] = [];
    const { origin, seen } = await serveMcp("stateful", {
      tools: ["pull_request_read", "add_issue_comment"].map((name) => ({
        name,
        description: name,
        inputSchema: { type: "object" },
      })),
      call(name, args) {
        if (name === "add_issue_comment") published.push(args["body"]);
        else reads.push(args["method"]);
        return saying(JSON.stringify({ of: args["method"] ?? "comment" }));
      },
    });
    const { settings } = await serveOpenAi((told) => {
      if (told.includes("smallest useful final")) return '{"reads": ["get_diff", "get_reviews"]}';
      if (told.includes("cautious pull-request reviewer"))
        return '{"pass": 1, "risk": "low", "summary": "fine", "findings": []}';
      return '{"riskLevel": "low", "summary": "fine", "findings": [], "commentBody": "Looks good."}';
    });
    const { client } = await aToolServer({ ...settings, ...allowing(origin) }, { SERVICE_ENV_GH_TOKEN: "gh-token" });
    const fixture = readFixture("35-governed-adaptive-agent");
    await client.register({ ownerEmail: "a@example.com", ...fixture });
    const id = await client.start(fixture.name, {
      mcpServerUrl: `${origin}/mcp`,
      owner: "o",
      repo: "r",
      pullNumber: 7,
      llmProvider: "openai",
      model: "gpt-4o",
    });
    const human = await waitFor(async () => {
      const { status, tasks } = await client.execution(id);
      if (status !== "RUNNING") throw new Error(`Expected a question to a person, got ${JSON.stringify(tasks.at(-1))}`);
      return tasks.find((task) => task.taskType === "HUMAN" && task.status === "IN_PROGRESS");
    }, 40_000);
    expect(published).toEqual([]);
    await client.complete(human, { approved: true, reviewer: "ada" });
    const { status, output } = await client.ended(id);
    expect(status).toBe("COMPLETED");
    expect(reads).toEqual(["get", "get_files", "get_check_runs", "get_diff", "get_reviews", "get_comments"]);
    expect(published).toEqual([`Looks good.\n\n<!-- conductor-pr-review:${id} -->`]);
    expect(output).toMatchObject({
      passesCompleted: 4,
      riskLevel: "low",
      approval: { approved: true },
      publication: { status: "published" },
    });
    expect(seen.requests.length).toBeGreaterThan(8);
  },
);
