import { afterAll, beforeAll, expect, test } from "vitest";
import { serveHttp } from "../support/http-server.ts";
import { allowing, aToolServer, startToolServer, type ToolServer } from "../support/tool-server.ts";

const openapi = {
  openapi: "3.1.0",
  servers: [{ url: "/v1/" }],
  paths: {
    "/pets/{petId}": {
      parameters: [{ $ref: "#/components/parameters/petId" }],
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [{ name: "fields", in: "query", schema: { type: "string" }, description: "Which" }],
      },
      put: {
        description: "Changes a pet",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
  },
  components: {
    parameters: { petId: { name: "petId", in: "path", required: true, schema: { type: "integer" } } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
      },
    },
  },
};

const swagger = {
  swagger: "2.0",
  host: "api.example.com",
  basePath: "/v2",
  schemes: ["https"],
  paths: {
    "/pets": {
      post: {
        parameters: [
          { name: "X-Trace", in: "header", type: "string" },
          { name: "pet", in: "body", required: true, schema: { type: "array" } },
        ],
      },
    },
  },
};

const postman = {
  info: { schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  item: [
    {
      name: "Orders",
      item: [
        {
          name: "Create an order",
          request: {
            method: "POST",
            url: { raw: "https://shop.example.com/users/:userId/orders?dry=1", query: [{ key: "dry" }] },
            header: [{ key: "X-Key" }],
            body: { mode: "raw", raw: '{"sku":"a","count":2}' },
          },
        },
      ],
    },
  ],
};

async function serveSpecs() {
  const asked: string[] = [];
  const origin = await serveHttp((request, response) => {
    asked.push(`${request.url} ${request.headers["x-key"] ?? "-"}`);
    const found = { "/a/openapi": openapi, "/swagger.json": swagger, "/postman": postman, "/other": { hello: 1 } }[
      request.url ?? ""
    ];
    if (request.url === "/page") response.end("<html>no</html>");
    else if (found === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(found));
  });
  return { origin, asked };
}

test("operations of OpenAPI, Swagger and Postman are listed as tools", async () => {
  const { origin, asked } = await serveSpecs();
  const { runTask } = await aToolServer(allowing(origin));
  const list = async (path: string) =>
    (await runTask("LIST_API_TOOLS", { specUrl: `${origin}${path}`, headers: { "X-Key": "k" } })).outputData;
  const petId = { type: "integer", in: "path" };
  expect(await list("/a/openapi")).toEqual({
    format: "openapi3",
    baseUrl: `${origin}/v1`,
    tools: [
      {
        name: "getPet",
        description: "One pet",
        method: "GET",
        path: "/pets/{petId}",
        inputSchema: {
          type: "object",
          required: ["petId"],
          properties: { petId, fields: { type: "string", in: "query", description: "Which" } },
        },
      },
      {
        name: "put_pets_petId",
        description: "Changes a pet",
        method: "PUT",
        path: "/pets/{petId}",
        inputSchema: {
          type: "object",
          required: ["petId", "name"],
          properties: {
            petId,
            name: { type: "string", in: "body" },
            tags: { type: "array", items: { type: "string" }, in: "body" },
          },
        },
      },
    ],
  });
  expect(asked).toEqual(["/a/openapi k"]);
  // The page itself is none; the origin has one where such are found.
  expect(await list("/page")).toMatchObject({
    format: "swagger2",
    baseUrl: "https://api.example.com/v2",
    tools: [
      {
        name: "post_pets",
        method: "POST",
        inputSchema: {
          required: ["body"],
          properties: { "X-Trace": { type: "string", in: "header" }, body: { type: "array", in: "body" } },
        },
      },
    ],
  });
  expect(asked.slice(1)).toEqual(["/page k", "/openapi.json k", "/swagger.json k"]);
  expect(await list("/postman")).toMatchObject({
    format: "postman",
    baseUrl: "https://shop.example.com",
    tools: [
      {
        name: "Create_an_order",
        method: "POST",
        path: "/users/{userId}/orders",
        inputSchema: {
          required: ["userId"],
          properties: {
            userId: { in: "path" },
            dry: { in: "query" },
            "X-Key": { in: "header" },
            sku: { type: "string", in: "body" },
            count: { type: "number", in: "body" },
          },
        },
      },
    ],
  });
});

test("an address with variables is the one of their defaults, and any name is a name", async () => {
  const url = "https://{region}.example.com/{version}/{odd}";
  const variables = { region: { default: "eu" }, version: { default: "v2", enum: ["v1", "v2"] } };
  const get = { operationId: "get", parameters: [{ name: "__proto__", in: "query", schema: { type: "string" } }] };
  const spec = { openapi: "3.0.0", servers: [{ url, variables }], paths: { "/x": { get } } };
  const origin = await serveHttp((_, response) => response.end(JSON.stringify(spec)));
  const { runTask } = await aToolServer(allowing(origin));
  const { outputData } = await runTask("LIST_API_TOOLS", { specUrl: `${origin}/spec` });
  expect(outputData["baseUrl"]).toBe("https://eu.example.com/v2/%7Bodd%7D");
  expect(JSON.stringify(outputData["tools"])).toContain('"__proto__":{"type":"string","in":"query"}');
});

test("a description that is nested without end is refused", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
  const spec = { openapi: "3.0.0", paths: {}, components: deep };
  const origin = await serveHttp((_, response) => response.end(JSON.stringify(spec)));
  const { runTask } = await aToolServer(allowing(origin));
  expect(await runTask("LIST_API_TOOLS", { specUrl: `${origin}/spec` })).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: "Error processing API spec: External tool data exceeds the maximum nesting depth of 32",
  });
});

let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server.close());

test("what is no description fails the task, in its output too", async () => {
  const { origin } = await serveSpecs();
  const { runTask } = await aToolServer(allowing(origin, "http://127.0.0.1:9"));
  const reasonOf = async (input: Record<string, unknown>) => {
    const { status, reasonForIncompletion, outputData } = await runTask("LIST_API_TOOLS", input);
    expect(status).toBe("FAILED");
    expect(outputData).toEqual({ error: reasonForIncompletion });
    return reasonForIncompletion;
  };
  expect(await reasonOf({})).toBe("Missing required input parameter 'specUrl'");
  expect(await reasonOf({ specUrl: `${origin}/other` })).toBe(`Unrecognised API spec format from ${origin}/other`);
  expect(await reasonOf({ specUrl: "http://127.0.0.1:9/x" })).toBe(
    "Could not retrieve a valid API spec from http://127.0.0.1:9/x (also tried well-known paths)",
  );
  expect(await server.runTask("LIST_API_TOOLS", { specUrl: `${origin}/other` })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `Outbound access denied: ${origin} is not in service.ai.outbound.allowed-origins`,
  });
});

test("a planner's document is kept, for those who may read it, and asked for by its tag", async () => {
  const asked: string[] = [];
  const origin = await serveHttp((request, response) => {
    asked.push(`${request.headers["if-none-match"] ?? "-"} ${request.headers.authorization ?? "-"}`);
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.setHeader("etag", '"1"').end("plan well");
  });
  const { runTask } = await aToolServer(allowing(origin));
  const load = async (more: Record<string, unknown> = {}) =>
    (await runTask("PLANNER_CONTEXT_FETCH", { url: `${origin}/doc`, ...more })).outputData;
  const response = { body: "plan well", statusCode: 200 };
  expect(await load()).toEqual({ response, cache_hit: false });
  expect(await load()).toEqual({ response, cache_hit: true });
  expect(asked).toEqual(["- -"]);
  expect(await load({ ttl_seconds: 0 })).toEqual({ response, cache_hit: true });
  expect(await load({ headers: { Authorization: "Bearer other" } })).toEqual({ response, cache_hit: false });
  expect(asked).toEqual(["- -", '"1" -', "- Bearer other"]);
});

test("a planner's document that is not there fails the task when it is required", async () => {
  const origin = await serveHttp((_, response) => response.writeHead(503).end("busy"));
  const { runTask } = await aToolServer(allowing(origin));
  const url = `${origin}/doc`;
  expect(await runTask("PLANNER_CONTEXT_FETCH", { url })).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: `PLANNER_CONTEXT_FETCH ${url} returned status 503`,
  });
  expect(await runTask("PLANNER_CONTEXT_FETCH", { url, required: false })).toMatchObject({
    status: "COMPLETED",
    outputData: { response: { body: "", statusCode: 503 }, cache_hit: false },
  });
  expect(await runTask("PLANNER_CONTEXT_FETCH", {})).toMatchObject({
    reasonForIncompletion: "Missing required input parameter 'url'",
  });
  expect(await server.runTask("PLANNER_CONTEXT_FETCH", { url })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `PLANNER_CONTEXT_FETCH ${url} failed: Outbound access denied: ${origin} is not in service.ai.outbound.allowed-origins`,
  });
});
