import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { create, downloadUrl, put, upload } from "./local-files.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ settings: { "service.file-storage.enabled": "true" } });
  client = server.client;
  await client.register(
    aWorkflow("leaf", [entry("WAIT", "w")]),
    aWorkflow("middle", [entry("SUB_WORKFLOW", "down", { subWorkflowParam: { name: "leaf" } })]),
    aWorkflow("top", [
      entry("FORK_JOIN", "fork", {
        forkTasks: [
          [entry("SUB_WORKFLOW", "left", { subWorkflowParam: { name: "middle" } })],
          [entry("SUB_WORKFLOW", "right", { subWorkflowParam: { name: "leaf" } })],
        ],
      }),
      entry("JOIN", "join", { joinOn: ["left", "right"] }),
    ]),
  );
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const child = async (id: string, ref: string): Promise<string> => {
  const isThere = (task: { referenceTaskName: string; subWorkflowId?: string }) =>
    task.referenceTaskName === ref && task.subWorkflowId !== undefined;
  const { tasks } = await client.until(id, (execution) => execution.tasks.some(isThere));
  const childId = tasks.find(isThere)?.subWorkflowId ?? "";
  await client.until(childId, () => true);
  return childId;
};

type Listed = {
  readonly totalHits: number;
  readonly results: readonly { readonly fileName: string; readonly uploadStatus: string }[];
};

describe("who may read", () => {
  test("the owner, its ancestors and its descendants, however deep; siblings and strangers may not", async () => {
    const top = await client.start("top");
    const [middle, sibling] = [await child(top, "left"), await child(top, "right")];
    const leaf = await child(middle, "down");
    const statuses = async (owner: string, callers: readonly string[]) => {
      const { fileId } = await upload(client, owner, "x");
      const asked = callers.flatMap((caller) => [
        client.get(`/files/${caller}/${fileId}/download-url`),
        client.get(`/files/${caller}/${fileId}`),
      ]);
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await statuses(leaf, [leaf, middle, top])).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(top, [leaf, middle, top])).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(leaf, [sibling, await client.start("leaf"), "unheard-of"])).toEqual(Array(6).fill(403));
    expect(await statuses(sibling, [middle, leaf])).toEqual(Array(4).fill(403));
  });

  test("an execution's own files are listed, uploaded or not, some at a time", async () => {
    const [owner, other] = [await client.start("leaf"), await client.start("leaf")];
    const { fileHandleId } = await upload(client, owner, "12345", { fileName: "a.txt", contentType: "text/plain" });
    await create(client, owner, { fileName: "b.txt" });
    await upload(client, other, "x");
    const list = async (query: string) => (await client.get(`/files?${query}`)).json as Listed;
    const { totalHits, results } = await list(`workflowId=${owner}`);
    expect(totalHits).toBe(2);
    expect(results.map(({ fileName, uploadStatus }) => `${fileName} ${uploadStatus}`).sort()).toEqual([
      "a.txt UPLOADED",
      "b.txt UPLOADING",
    ]);
    const whole = results.find(({ fileName }) => fileName === "a.txt");
    expect(whole).toMatchObject({ fileHandleId, workflowId: owner, fileSize: 5, contentType: "text/plain" });
    const pages = [await list(`workflowId=${owner}&size=1`), await list(`workflowId=${owner}&start=1&size=1`)];
    expect(pages.flatMap((page) => page.results)).toEqual(results);
    expect(await list(`workflowId=${owner}&start=-5&size=-1`)).toMatchObject({ totalHits: 2, results: [] });
    expect(await list("workflowId=unheard-of")).toEqual({ totalHits: 0, results: [] });
    expect((await client.get("/files")).json).toMatchObject({ status: 400, message: "workflowId is required" });
  });

  test("only the owner may change what is uploaded", async () => {
    const [owner, other] = [await client.start("leaf"), await client.start("leaf")];
    const { fileId } = await create(client, owner);
    const asked = [
      await client.get(`/files/${other}/${fileId}/upload-url`),
      await client.post(`/files/${other}/${fileId}/upload-complete`),
      await client.post(`/files/${other}/${fileId}/multipart`),
      await client.delete(`/files/${other}/${fileId}/multipart/u`),
    ];
    for (const { json } of asked) {
      expect(json).toMatchObject({ status: 403, message: `Workflow does not own file: ${fileId}` });
    }
  });

  test("a file of an execution that nobody knows belongs to it all the same", async () => {
    for (const owner of ["unheard-of", "weird / ../ id?#%", "..."]) {
      const { fileId } = await upload(client, owner, owner);
      const answer = await fetch(await downloadUrl(client, owner, fileId));
      expect(await answer.text()).toBe(owner);
    }
  });
});

describe("signed URLs", () => {
  const changed = (url: string, name: string, value: string): string => {
    const other = new URL(url);
    other.searchParams.set(name, value);
    return other.toString();
  };
  const statusOf = async (url: string, method = "GET") =>
    (await fetch(url, { method, ...(method === "PUT" ? { body: "evil" } : {}) })).status;

  test("a URL that was changed is refused", async () => {
    const { fileId } = await upload(client, "w", "mine");
    const url = await downloadUrl(client, "w", fileId);
    const query = new URL(url).searchParams;
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(changed(url, "exp", String(Number(query.get("exp")) + 60)))).toBe(403);
    expect(await statusOf(changed(url, "exp", "never"))).toBe(403);
    expect(await statusOf(changed(url, "kid", "other"))).toBe(403);
    expect(await statusOf(changed(url, "op", "upload"))).toBe(403);
    const sig = query.get("sig") ?? "";
    expect(await statusOf(changed(url, "sig", sig.slice(0, -1)))).toBe(403);
    expect(await statusOf(changed(url, "sig", `${sig.startsWith("A") ? "B" : "A"}${sig.slice(1)}`))).toBe(403);
    expect(await statusOf(changed(url, "sig", `${sig}=`))).toBe(403);
    for (const name of ["op", "exp", "kid", "sig"]) {
      const without = new URL(url);
      without.searchParams.delete(name);
      expect(await statusOf(without.toString())).toBe(403);
    }
  });

  test("a URL is for one file of one execution", async () => {
    const [mine, other] = [await upload(client, "w", "mine"), await upload(client, "w2", "other")];
    const url = await downloadUrl(client, "w", mine.fileId);
    expect(await statusOf(url.replace(mine.fileId, other.fileId))).toBe(403);
    expect(await statusOf(url.replace("/w/", "/w2/"))).toBe(403);
    expect(await statusOf(url.replace(`/w/${mine.fileId}`, `/w2/${other.fileId}`))).toBe(403);
  });

  test("a URL is for one purpose", async () => {
    const { fileId, uploadUrl } = await create(client, "w");
    expect(await statusOf(uploadUrl, "GET")).toBe(405);
    expect(await statusOf(uploadUrl, "PUT")).toBe(204);
    await client.post(`/files/${fileId}/upload-complete`);
    const url = await downloadUrl(client, "w", fileId);
    expect(await statusOf(url, "PUT")).toBe(405);
    expect(await statusOf(url)).toBe(200);
  });

  test("a URL leads nowhere else", async () => {
    const { fileId, uploadUrl } = await create(client, "w");
    for (const place of ["..%2F..%2Fetc/passwd", `w/..%2F${fileId}`, `%2e%2e/${fileId}`, `w/${fileId}%00`]) {
      expect([400, 403, 404, 405]).toContain(await statusOf(uploadUrl.replace(`w/${fileId}`, place), "PUT"));
    }
  });

  test("a URL expires", async () => {
    const short = await startServer({
      settings: { "service.file-storage.enabled": "true", "service.file-storage.signed-url-expiration": "1s" },
    });
    try {
      const { uploadUrl, uploadUrlExpiresAt } = await create(short.client, "w");
      expect((await put(uploadUrl, "in time")).status).toBe(204);
      await new Promise((resolve) => setTimeout(resolve, uploadUrlExpiresAt - Date.now() + 20));
      expect((await put(uploadUrl, "too late")).status).toBe(403);
    } finally {
      await short.close();
    }
  });

  test("the key outlives the server, and keys of the configuration rotate", async () => {
    const keyed = (keys: string) => ({
      "service.file-storage.enabled": "true",
      "service.file-storage.local.base-url": "http://files.example.com/",
      "service.file-storage.local.signing.keys": keys,
    });
    const old = await startServer({ settings: keyed("k1:one") });
    const { uploadUrl } = await create(old.client, "w");
    await old.close();
    expect(uploadUrl).toMatch(
      /^http:\/\/files\.example\.com\/api\/files\/content\/w\/[0-9a-f-]{36}\?op=upload&exp=\d+&kid=k1&/,
    );
    const path = uploadUrl.slice("http://files.example.com".length);
    for (const [keys, status] of [
      ["k2:two,k1:one", 404],
      ["k2:two", 403],
      ["k1:other", 403],
    ] as const) {
      const next = await startServer({ settings: keyed(keys) });
      expect(await statusOf(new URL(path, next.client.base).toString(), "PUT")).toBe(status);
      await next.close();
    }
  });

  test("keys that cannot be used keep the server from starting", async () => {
    for (const keys of ["bare", "id:", ":secret", "a:1,a:2"]) {
      const settings = { "service.file-storage.enabled": "true", "service.file-storage.local.signing.keys": keys };
      await expect(startServer({ settings })).rejects.toThrow("service.file-storage.local.signing.keys");
    }
  });
});

test("without the setting there are no files", async () => {
  const off = await startServer();
  try {
    expect((await off.client.post("/files", { workflowId: "w" })).status).toBe(404);
    expect((await off.client.get("/files/content/a/b")).status).toBe(404);
  } finally {
    await off.close();
  }
});

test("the brand speaks in handles and types", async () => {
  const branded = await startServer({
    settings: { "service.file-storage.enabled": "true", "service.brand": "conductor" },
  });
  try {
    const file = await upload(branded.client, "w", "x");
    expect(file).toMatchObject({ fileHandleId: `conductor://file/${file.fileId}`, storageType: "CONDUCTOR" });
    for (const prefix of ["conductor", "service"]) {
      const handle = encodeURIComponent(`${prefix}://file/${file.fileId}`);
      expect((await branded.client.get(`/files/w/${handle}/download-url`)).status).toBe(200);
    }
  } finally {
    await branded.close();
  }
});
