import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebApp } from "../../src/http/routes/web-app.ts";
import { aFolder, removeFolder } from "../support/server.ts";

const folder = aFolder();
const dist = join(folder, "dist");
const page = { accept: "text/html,application/xhtml+xml" };
let app: FastifyInstance;

beforeAll(() => {
  mkdirSync(join(dist, "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "not for you");
  writeFileSync(join(dist, "index.html"), "<!doctype html><title>app</title>");
  writeFileSync(join(dist, "assets", "main-abc123.js"), `// ${"x".repeat(2000)}`);
  const webApp = new WebApp(`${dist}/`);
  app = Fastify();
  app.setNotFoundHandler((request, reply) => webApp.answer(request, reply) ?? reply.code(404).send({ status: 404 }));
});
afterAll(async () => {
  await app.close();
  removeFolder(folder);
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: "GET", url, headers });

describe("the web app's files", () => {
  test("its page answers every path that people may open", async () => {
    for (const url of ["/", "/executions", "/executions/some-id?tab=tasks", "/index.html"]) {
      const { statusCode, headers, body } = await get(url, page);
      expect([url, statusCode, headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
      expect(body).toContain("<title>app</title>");
      expect(headers["cache-control"]).toBe("no-cache");
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
    }
  });

  test("programs get no page: they are told that there is nothing", async () => {
    expect((await get("/", { accept: "application/json" })).statusCode).toBe(404);
    expect((await get("/executions")).statusCode).toBe(404);
    expect((await app.inject({ method: "POST", url: "/", headers: page })).statusCode).toBe(404);
  });

  test("paths of the interface are never a page", async () => {
    for (const url of ["/api", "/api/nothing", "/api-docs/x", "/docs/x", "/health/x", "/actuator/x"]) {
      expect([url, (await get(url, page)).statusCode]).toEqual([url, 404]);
    }
    expect((await get("/apiary", page)).statusCode).toBe(200);
  });

  test("hashed files are kept for ever, packed where the browser can unpack", async () => {
    const plain = await get("/assets/main-abc123.js");
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(plain.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const packed = await get("/assets/main-abc123.js", { "accept-encoding": "gzip, br" });
    expect(packed.headers["content-encoding"]).toBe("br");
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 10);
    const again = await get("/assets/main-abc123.js", { "if-none-match": String(plain.headers["etag"]) });
    expect(again.statusCode).toBe(304);
  });

  test("nothing outside the folder can be read", async () => {
    for (const url of [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/%2e%2e/secret.txt",
      "/assets/..%2f..%2fsecret.txt",
    ]) {
      const { statusCode, body } = await get(url);
      expect([url, statusCode, body.includes("not for you")]).toEqual([url, 404, false]);
    }
  });

  test("a new build is seen, and no build says how to make one", async () => {
    writeFileSync(join(dist, "assets", "main-def456.js"), "new");
    writeFileSync(join(dist, "index.html"), "<!doctype html><title>newer</title>");
    expect((await get("/", page)).body).toContain("newer");
    expect((await get("/assets/main-def456.js")).body).toBe("new");
    rmSync(dist, { recursive: true });
    const { statusCode, body } = await get("/", page);
    expect(statusCode).toBe(503);
    expect(body).toContain("npm run build -w packages/ui");
  });
});
