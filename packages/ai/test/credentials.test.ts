import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { aFolder, removeFolder } from "@downbeat/server/testing";
import { expect, test } from "vitest";
import { runTask, startAiServer } from "./support/ai-server.ts";
import { startLocalProvider } from "./support/local-provider.ts";
import { bedrockConverse, geminiContent } from "./support/replies.ts";

const hello = { messages: [{ role: "user", message: "Hello" }] };

test("Gemini in a project of Google Cloud is called with a token for the identity in the file", async () => {
  const folder = aFolder();
  const issuer = await startLocalProvider();
  issuer.answer(() => ({
    json: {
      access_token: "cloud-token",
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 3600,
    },
  }));
  const subject = join(folder, "subject");
  const file = join(folder, "identity.json");
  writeFileSync(subject, "who-I-am");
  writeFileSync(
    file,
    JSON.stringify({
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${issuer.url}/token`,
      credential_source: { file: subject },
    }),
  );
  const server = await startAiServer({
    settings: {
      "service.ai.gemini.api-key": "",
      "service.ai.gemini.project-id": "a-project",
      "service.ai.gemini.credentials-file": file,
    },
  });
  try {
    server.provider.answer(() => geminiContent("Hi"));
    const { task } = await runTask(server, "LLM_CHAT_COMPLETE", {
      llmProvider: "vertex_ai",
      model: "gemini-2.5-flash",
      ...hello,
    });
    expect(task.outputData["result"]).toBe("Hi");
    expect(server.provider.requests[0]?.path).toBe("/models/gemini-2.5-flash:generateContent");
    expect(server.provider.requests[0]?.headers.authorization).toBe("Bearer cloud-token");
  } finally {
    await server.close();
    await issuer.close();
    removeFolder(folder);
  }
});

test("Bedrock takes a bearer token in the place of a key pair", async () => {
  const server = await startAiServer({
    settings: { "service.ai.bedrock.access-key": "", "service.ai.bedrock.secret-key": "" },
    env: { AWS_BEARER_TOKEN_BEDROCK: "bedrock-token", AWS_REGION: "eu-west-1" },
  });
  try {
    server.provider.answer(() => bedrockConverse("Hi"));
    await runTask(server, "LLM_CHAT_COMPLETE", { llmProvider: "bedrock", model: "amazon.nova-lite-v1:0", ...hello });
    expect(server.provider.requests[0]?.headers.authorization).toBe("Bearer bedrock-token");
  } finally {
    await server.close();
  }
});

test("Ollama behind a proxy gets its header, Anthropic its beta features", async () => {
  const server = await startAiServer({
    settings: {
      "service.ai.ollama.auth-header-name": "X-Proxy-Key",
      "service.ai.ollama.auth-header": "let-me-in",
      "service.ai.anthropic.beta-version": "some-beta-2026-01-01",
      "service.ai.max-retries": "0",
    },
  });
  try {
    server.provider.answer(() => ({ status: 400, json: {} }));
    await runTask(server, "LLM_CHAT_COMPLETE", { llmProvider: "ollama", model: "m", ...hello }, { retryCount: 0 });
    expect(server.provider.requests[0]?.headers["x-proxy-key"]).toBe("let-me-in");
    await runTask(server, "LLM_CHAT_COMPLETE", { llmProvider: "anthropic", model: "m", ...hello }, { retryCount: 0 });
    expect(server.provider.requests[1]?.headers["anthropic-beta"]).toContain("some-beta-2026-01-01");
  } finally {
    await server.close();
  }
});
