import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startServer, type TestServer } from "@downbeat/server/testing";
import { onTestFinished } from "vitest";
import { extension } from "../../src/index.ts";
import { extension as sql } from "../../src/sql/extension.ts";

type Task = Awaited<ReturnType<TestServer["client"]["execution"]>>["tasks"][number];
type Definition = Record<string, unknown> & { readonly name: string };

/** What may be reached on this machine, for tests that mean to. */
export const allowing = (...origins: readonly string[]): Record<string, string> => ({
  "service.ai.outbound.allowed-origins": origins.join(","),
  "service.ai.outbound.allow-private-networks": "true",
});

export type ToolServer = Awaited<ReturnType<typeof startToolServer>>;

/** A real server with the AI tasks for one test, over HTTP. */
export async function aToolServer(
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<ToolServer> {
  const server = await startToolServer(settings, env);
  onTestFinished(() => server.close());
  return server;
}

/** The same for whoever closes it. */
export async function startToolServer(
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const server = await startServer({
    extensions: [extension, sql],
    settings: { "service.integrations.ai.enabled": "true", ...settings },
    env,
  });
  const { client } = server;
  let definitions = 0;

  async function run(definition: Definition, input: Record<string, unknown> = {}) {
    await client.register({
      version: 1,
      schemaVersion: 2,
      ownerEmail: "a@example.com",
      timeoutSeconds: 0,
      ...definition,
    });
    return await client.ended(await client.start(definition.name, input));
  }

  return {
    client,
    close: server.close,
    run,
    /** One task of this type alone, tried once; gives what became of it. */
    async runTask(type: string, inputParameters: Record<string, unknown>): Promise<Task> {
      definitions += 1;
      const task = { name: `of_${type}`, taskReferenceName: "only", type, inputParameters, retryCount: 0 };
      const { tasks } = await run({ name: `only_${type}_${definitions}`, tasks: [task] });
      const last = tasks.at(-1);
      if (last === undefined) throw new Error(`Expected a task of type ${type}, got none`);
      return last;
    },
  };
}

const folder = fileURLToPath(new URL("../../../../../shared/fixtures/ai/", import.meta.url));

/** Whether the workflows of others are on this machine; says so when they are not. */
export const hasFixtures = existsSync(folder);
if (!hasFixtures) process.stderr.write("skipped: the AI fixtures are not on this machine\n");

/** A workflow definition of the fixtures, with origins in it replaced. */
export function readFixture(name: string, replaced: Readonly<Record<string, string>> = {}): Definition {
  const text = readFileSync(`${folder}${name}.json`, "utf8");
  const moved = Object.entries(replaced).reduce((whole, [from, to]) => whole.replaceAll(from, to), text);
  return JSON.parse(moved) as Definition;
}
