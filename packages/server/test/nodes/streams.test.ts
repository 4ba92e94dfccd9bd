import { administer, hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, describe, expect, test } from "vitest";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { Watcher } from "../support/watcher.ts";

testThatPostgresIsThere();

const folder = aFolder();
const servers: ChildServer[] = [];

afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  removeFolder(folder);
});

describe.skipIf(!hasPostgres)("a stream at one of two servers", () => {
  test("that has missed a commit of the other ends, and tells of it when it is opened again", async () => {
    const url = await newDatabase();
    const settings = { "service.db.type": "postgres", "service.db.url": url };
    for (let n = 0; n < 2; n++) servers.push(await startChildServer({ folder, settings }));
    const [here, there] = servers.map(({ client }) => client);
    if (here === undefined || there === undefined) throw new Error("Expected two servers");
    await here.registerTasks(aTask("watched"));
    await here.register(aWorkflow("watched", [simple("watched", "t")]));
    const id = await here.start("watched");
    const watcher = await Watcher.open(here, `/workflow/${id}/stream`);
    const { id: lastId } = await watcher.until(({ event }) => event === "task");
    const task = await there.take("watched");
    await watcher.until(({ data }) => data["status"] === "IN_PROGRESS");

    // Nobody hears anybody now.
    await administer(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like '%nodes%'`,
      url,
    );
    await there.complete(task);
    const isOver = ({ data }: { readonly data: Record<string, unknown> }) =>
      data["workflowType"] === "watched" && data["status"] === "COMPLETED";
    const heard = await watcher.until(isOver).catch((error: Error) => error.message);
    if (heard !== "The stream ended") expect(heard).toMatchObject({ data: { status: "COMPLETED" } });
    watcher.close();
    const again = await Watcher.open(here, `/workflow/${id}/stream`, lastId);
    expect(await again.until(isOver)).toMatchObject({ data: { workflowId: id } });
    again.close();
  });
});
