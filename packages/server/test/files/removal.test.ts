import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, removeFolder, startServer } from "../support/server.ts";
import { filesIn, upload } from "./local-files.ts";

const folder = aFolder();
const storage = join(folder, "files");
const settings = { "service.file-storage.enabled": "true" };

afterAll(() => removeFolder(folder));

test("what could not be removed with its execution is removed at the next start", async () => {
  const first = await startServer({ folder, settings });
  await first.client.register(aWorkflow("holder", [entry("WAIT", "w")]));
  const id = await first.client.start("holder");
  const { fileId } = await upload(first.client, id, "bytes");
  // A disk that is away: where the folder was, something else is.
  renameSync(storage, `${storage}-away`);
  writeFileSync(storage, "not a folder");
  expect((await first.client.delete(`/workflow/${id}/remove`)).status).toBe(200);
  expect(first.errors).toHaveLength(1);
  expect(first.errors[0]).toContain("could not be removed; trying again at the next start");
  await first.close();

  removeFolder(storage);
  renameSync(`${storage}-away`, storage);
  expect(filesIn(storage)).toHaveLength(1);
  const second = await startServer({ folder, settings });
  expect(existsSync(storage) ? filesIn(storage) : []).toEqual([]);
  expect((await second.client.get(`/files/${fileId}`)).status).toBe(404);
  await second.close();
  expect(second.errors).toEqual([]);
});

test("files stay when they are told to", async () => {
  const server = await startServer({
    folder,
    settings: { ...settings, "service.file-storage.delete-with-workflow": "false" },
  });
  const id = await server.client.start("holder");
  const { fileId } = await upload(server.client, id, "bytes");
  await server.client.delete(`/workflow/${id}/remove`);
  expect((await server.client.get(`/files/${id}/${fileId}/download-url`)).status).toBe(200);
  await server.close();
});

test("files go with executions whose time is over", { timeout: 60_000 }, async () => {
  const server = await startServer({
    folder,
    settings: { ...settings, "service.retention.default": "1s", "service.retention.interval": "100ms" },
  });
  const { client } = server;
  const id = await client.start("holder");
  const { fileId } = await upload(client, id, "bytes");
  await client.delete(`/workflow/${id}`);
  await eventually(async () => ((await client.get(`/files/${fileId}`)).status === 404 ? true : undefined), 40_000);
  expect((await client.get(`/workflow/${id}`)).status).toBe(404);
  await server.close();
});
