import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, removeFolder, startServer } from "../support/server.ts";
import { hasS3, startS3 } from "./servers.ts";

const run = promisify(execFile);
const MB = 1024 * 1024;
/** Where .ci/run puts the client and what it needs. */
const jars = fileURLToPath(new URL("../../../../.tmp/java/lib", import.meta.url));
const program = fileURLToPath(new URL("./JavaFiles.java", import.meta.url));
const FIRST_JAVA = 21;

/** The official client is made for Java 21 and later; the first one on the path is often older. */
const java = findJavas().find((command) => versionOf(command) >= FIRST_JAVA);
const canRun = java !== undefined && existsSync(jars);

if (!canRun) {
  const missing =
    java === undefined ? `no Java of ${FIRST_JAVA} or later` : "no Java client in .tmp/java; .ci/run installs it";
  process.stdout.write(`Skipping the tests with the Java client: there is ${missing}\n`);
}
test.runIf(process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("java"))("Java and its client are there", () =>
  expect(canRun).toBe(true),
);

function findJavas(): string[] {
  const home = process.env["JAVA_HOME"];
  const installed = existsSync("/usr/lib/jvm") ? readdirSync("/usr/lib/jvm").map((name) => `/usr/lib/jvm/${name}`) : [];
  return [...(home === undefined ? [] : [home]), ...installed]
    .map((folder) => join(folder, "bin", "java"))
    .concat("java");
}

function versionOf(command: string): number {
  const { stderr } = spawnSync(command, ["-version"], { encoding: "utf8", timeout: 10_000 });
  return Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0);
}

/** What the program prints at its end, against a server with these settings. */
async function runClient(
  settings: Readonly<Record<string, string>>,
  size: number,
  multipartAbove: number,
): Promise<string> {
  const folder = aFolder();
  const server = await startServer({
    settings: { "service.file-storage.enabled": "true", "service.brand": "conductor", ...settings },
  });
  try {
    const { client } = server;
    await client.registerTasks(aTask("java_produce"), aTask("java_consume"));
    const inputParameters = { file: "${produced.output.file}", stream: "${produced.output.stream}" };
    const given = { file: "${workflow.input.file}", stream: "${workflow.input.stream}" };
    await client.register(
      aWorkflow("java_child", [simple("java_consume", "consumed", { inputParameters: given })]),
      aWorkflow("java_files", [
        simple("java_produce", "produced"),
        entry("SUB_WORKFLOW", "child", { subWorkflowParam: { name: "java_child" }, inputParameters }),
      ]),
    );
    const args = ["-cp", `${jars}/*`, program, client.base, folder, String(size), String(multipartAbove)];
    const { stdout } = await run(java ?? "", args, { timeout: 110_000 });
    expect(server.errors).toEqual([]);
    return stdout.trim().split("\n").at(-1) ?? "";
  } finally {
    await server.close();
    removeFolder(folder);
  }
}

describe.skipIf(!canRun)("the Java client", () => {
  test("passes files between workers by their handles, however deep", { timeout: 120_000 }, async () => {
    expect(await runClient({}, 3 * MB, 100 * MB)).toBe(`true ${3 * MB} UPLOADED image/png true from a stream`);
  });

  test.skipIf(!hasS3)("uploads in parts to S3", { timeout: 120_000 }, async () => {
    const { endpoint, close } = await startS3();
    try {
      const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket: "files" }));
      client.destroy();
      const settings = {
        "service.file-storage.type": "s3",
        "service.file-storage.s3.bucket-name": "files",
        "service.file-storage.s3.endpoint": endpoint,
        "service.file-storage.s3.force-path-style": "true",
      };
      expect(await runClient(settings, 12 * MB, 6 * MB)).toBe(`true ${12 * MB} UPLOADED image/png true from a stream`);
    } finally {
      await close();
    }
  });
});
