import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/log.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import type { Json } from "../support/client.ts";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";
import { loadDocument, type OpenApiDocument, operationsOf, rootOf, walk } from "./the-document.ts";

let server: TestServer;
let document: OpenApiDocument;
beforeAll(async () => {
  server = await startServer();
  document = await loadDocument(server.client);
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

/** Routes that are the documentation, or pages for people. */
const undocumented = new Set([
  "GET /api-docs",
  "GET /docs/api",
  "GET /docs/api/viewer.js",
  "GET /docs/api/viewer.css",
  "GET /swagger-ui.html",
  "GET /swagger-ui/index.html",
  "GET /api-docs.yaml",
  "GET /api-docs/swagger-config",
]);

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(document);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test("every route of the server is documented, and nothing else", async () => {
  const documented = operationsOf(document).map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  const served = (await routesOfServer()).filter((route) => !undocumented.has(route));
  expect(documented.sort()).toEqual(served.sort());
});

test("operations have ids of their own", () => {
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const id of ids) expect(id).toMatch(/^[a-z]\w+$/);
});

test("paths that differ only in the names of their parts are one path", () => {
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"));
  expect(new Set(shapes).size).toBe(shapes.length);
});

test("the parts of a path are its path parameters", () => {
  for (const { method, path, operation } of operationsOf(document)) {
    const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation["parameters"] as Json[])
      .filter((one) => one["in"] === "path")
      .map((one) => one["name"]);
    expect([method, path, declared]).toEqual([method, path, parts]);
  }
});

test("every reference leads somewhere", () => {
  const references = [...walk(document, "#")].filter(([way]) => way.endsWith("/$ref")).map(([, target]) => target);
  expect(references.length).toBeGreaterThan(50);
  const places = new Set([...walk(document, "#")].map(([way]) => way));
  for (const reference of references) expect(places).toContain(reference);
});

test("everything a reader sees has words to it", () => {
  for (const { method, path, operation } of operationsOf(document)) {
    const place = `${method} ${path}`;
    expect([place, operation["summary"]]).toEqual([place, expect.stringMatching(/\w/)]);
    expect([place, operation["tags"]]).toEqual([place, [expect.stringMatching(/\w/)]]);
    for (const { name, description } of operation["parameters"] as Json[]) {
      expect([place, name, description]).toEqual([place, name, expect.stringMatching(/\w/)]);
    }
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (answer.$ref === undefined)
        expect([place, status, answer]).toEqual([
          place,
          status,
          expect.objectContaining({ description: expect.stringMatching(/\w/) }),
        ]);
    }
  }
});

describe("the page for people", () => {
  const fetchText = async (path: string) => {
    const response = await fetch(rootOf(server.client) + path, { signal: AbortSignal.timeout(15_000) });
    return { response, text: await response.text() };
  };

  test("and what it loads come from the server itself", async () => {
    const { response, text } = await fetchText("/docs/api");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain("default-src 'none'");
    const loaded = [...text.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(
      ([, path = ""]) => new URL(path, `${rootOf(server.client)}/docs/api`),
    );
    expect(loaded.map(({ pathname }) => pathname).sort()).toEqual([
      "/api-docs",
      "/docs/api/viewer.css",
      "/docs/api/viewer.js",
    ]);
    for (const { pathname } of loaded)
      expect([pathname, (await fetchText(pathname)).response.status]).toEqual([pathname, 200]);
    expect((await fetchText("/docs/api/viewer.js")).text).not.toMatch(
      /innerHTML|insertAdjacentHTML|document\.write|https?:/,
    );
  });

  test("is where other servers have theirs too", async () => {
    const root = rootOf(server.client);
    for (const path of ["/swagger-ui.html", "/swagger-ui/index.html"]) {
      const response = await fetch(root + path, { redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([302, "/docs/api"]);
    }
    expect((await fetch(`${root}/api-docs.yaml`)).headers.get("content-type")).toBe("application/yaml");
    expect(await (await fetch(`${root}/api-docs/swagger-config`)).json()).toEqual({ url: "/api-docs" });
  });
});

/** As "GET /api/workflow/{}", read from the router's own listing. */
async function routesOfServer(): Promise<string[]> {
  const folder = aFolder();
  const { config } = loadConfig({ argv: [`--service.db.url=${folder}/routes.db`], env: {}, cwd: folder });
  const log = createLogger({ level: "error", format: "json", now: Date.now, write: () => undefined });
  const runtime = await openRuntime({ config, log, env: {} });
  await runtime.start();
  const app = createApp(runtime, "0.0.0-test");
  try {
    await app.ready();
    return readListing(app.printRoutes());
  } finally {
    await app.close();
    await runtime.close();
    removeFolder(folder);
  }
}

/** The listing is a tree of pieces of paths: a line continues the line above it that is less deep. */
function readListing(listing: string): string[] {
  const pieces: string[] = [];
  return listing.split("\n").flatMap((line) => {
    const [, branch = "", piece = "", methods = ""] = /^([│├└─\s]*)(\S+)(?: \((.+)\))?/.exec(line) ?? [];
    pieces.length = branch.length / 4;
    pieces[pieces.length - 1] = piece;
    const path = pieces.join("").replaceAll(/:\w+(\|:\w+)*|\*/g, "{}");
    const served = methods.split(", ").filter((method) => method !== "" && method !== "HEAD");
    return served.map((method) => `${method} ${path}`);
  });
}
