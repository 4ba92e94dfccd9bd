import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, NODES, removeFolder, startServer } from "../support/server.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../../src/backup.ts", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = aFolder();
});
afterEach(() => removeFolder(folder));

const backup = (target: string) =>
  run(process.execPath, [program, target, `--service.db.url=${join(folder, "test.db")}`], { cwd: folder });

test.skipIf(NODES > 0)("a backup is taken while the server runs, and a server starts on it", async () => {
  const server = await startServer({ folder });
  await server.client.register(aWorkflow("w", [entry("WAIT", "w")]));
  const id = await server.client.start("w", { x: 1 });
  await backup(join(folder, "copy", "test.db"));
  const later = await server.client.start("w");
  await server.close();
  const restored = await startServer({ folder: join(folder, "copy") });
  expect(await restored.client.execution(id)).toMatchObject({ status: "RUNNING", input: { x: 1 } });
  expect((await restored.client.get(`/workflow/${later}`)).status).toBe(404);
  await restored.close();
});

test.skipIf(NODES > 0)(
  "a file that is there is not overwritten, and a database that is not there is said",
  async () => {
    await expect(backup(join(folder, "copy.db"))).rejects.toThrow("Expected a database at");
    const server = await startServer({ folder });
    await backup(join(folder, "copy.db"));
    await expect(backup(join(folder, "copy.db"))).rejects.toThrow("to be free");
    await server.close();
  },
);
