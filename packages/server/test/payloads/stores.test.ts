import { CreateBucketCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { BlobServiceClient } from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasAzure, hasS3, startAzure, startS3, WITHOUT_AZURE, WITHOUT_S3 } from "../files/servers.ts";
import type { Client, Json } from "../support/client.ts";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

if (!hasS3) process.stdout.write(`${WITHOUT_S3}\n`);
if (!hasAzure) process.stdout.write(`${WITHOUT_AZURE}\n`);

type StoreKit = {
  readonly settings: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether clients put and fetch at the store itself. */
  readonly isDirect: boolean;
  /** What lies in the store, where the test can look. */
  readonly list?: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

const thresholds = {
  "service.app.workflowInputPayloadSizeThreshold": "20KB",
  "service.app.workflowOutputPayloadSizeThreshold": "20KB",
  "service.app.taskInputPayloadSizeThreshold": "20KB",
  "service.app.taskOutputPayloadSizeThreshold": "20KB",
};

const large = (mark: string): Json => ({ mark, list: Array(1000).fill(`${"x".repeat(500)}é`), end: 1 });

/** What every payload store must do, seen from outside. */
function describeStore(openKit: () => Promise<StoreKit>): void {
  let kit: StoreKit;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    kit = await openKit();
    server = await startServer({ settings: { ...thresholds, ...kit.settings } });
    client = server.client;
    await client.registerTasks(aTask("work"));
    const inputParameters = { all: "${workflow.input}" };
    await client.register(
      aWorkflow("large", [
        simple("work", "a", { inputParameters }),
        simple("work", "b", { inputParameters: { got: "${a.output.mark}" } }),
      ]),
    );
  }, 90_000);
  afterAll(async () => {
    await server.close();
    await kit.close();
    expect(server.errors).toEqual([]);
  });

  test("payloads come back whole, or by their path, and go with their execution", async () => {
    const id = await client.start("large", large("in"));
    const a = await client.take("work");
    expect(a.inputData).toEqual({ all: large("in") });
    await client.complete(a, large("out"));
    const b = await client.take("work");
    expect(b.inputData).toEqual({ got: "out" });
    await client.complete(b, large("end"));
    expect(await client.ended(id)).toMatchObject({ input: large("in"), output: large("end") });
    const shown = (await client.get(`/workflow/${id}?externalPayloads=true`)).json as Json;
    expect(shown).toMatchObject({ input: {}, output: {} });
    const path = String(shown["externalInputPayloadStoragePath"]);
    const query = `path=${path}&operation=READ&payloadType=WORKFLOW_INPUT`;
    const { uri } = (await client.get(`/workflow/externalstoragelocation?${query}`)).json as { uri: string };
    expect(await (await fetch(uri)).json()).toEqual(large("in"));
    if (kit.list !== undefined) expect(await kit.list()).toHaveLength(4);
    expect((await client.delete(`/workflow/${id}/remove`)).status).toBe(200);
    expect((await fetch(uri)).status).toBe(404);
    if (kit.list !== undefined) expect(await kit.list()).toEqual([]);
  });

  test("clients put payloads where they are told, and name them by their path", async () => {
    const location = async (type: string) => {
      const query = `path=&operation=WRITE&payloadType=${type}`;
      return (await client.get(`/tasks/externalstoragelocation?${query}`)).json as { uri: string; path: string };
    };
    const headers = { "content-type": "application/json", ...kit.headers };
    const input = await location("WORKFLOW_INPUT");
    expect(input.uri.startsWith(client.base)).toBe(!kit.isDirect);
    expect((await fetch(input.uri, { method: "PUT", headers, body: JSON.stringify(large("mine")) })).ok).toBe(true);
    const id = (await client.post("/workflow", { name: "large", externalInputPayloadStoragePath: input.path })).text;
    const a = await client.take("work");
    expect(a.inputData).toEqual({ all: large("mine") });
    const output = await location("TASK_OUTPUT");
    expect((await fetch(output.uri, { method: "PUT", headers, body: JSON.stringify(large("yours")) })).ok).toBe(true);
    await client.update(a, { status: "COMPLETED", externalOutputPayloadStoragePath: output.path });
    expect((await client.take("work")).inputData).toEqual({ got: "yours" });
    expect((await client.task(a.taskId)).outputData).toEqual(large("yours"));
    expect((await client.delete(`/workflow/${id}/remove`)).status).toBe(200);
    const bad = await location("TASK_OUTPUT");
    const put = await fetch(bad.uri, { method: "PUT", headers, body: `{"broken": ${JSON.stringify(large("x"))}` });
    expect(put.ok).toBe(kit.isDirect);
    const refused = await client.post("/workflow", { name: "large", externalInputPayloadStoragePath: bad.path });
    expect(refused.status).toBe(400);
  });
}

describe("the database", () => {
  describeStore(async () => ({
    settings: { "service.external-payload-storage.type": "database" },
    isDirect: false,
    close: async () => undefined,
  }));
});

describe.skipIf(!hasS3)("S3", () => {
  describeStore(async () => {
    const { endpoint, close } = await startS3();
    const s3 = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: "payloads" }));
    return {
      settings: {
        "service.external-payload-storage.type": "s3",
        "service.external-payload-storage.s3.bucketName": "payloads",
        "service.external-payload-storage.s3.endpoint": endpoint,
        "service.external-payload-storage.s3.force-path-style": "true",
      },
      isDirect: true,
      async list() {
        const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "payloads" }));
        return Contents.map(({ Key = "" }) => Key);
      },
      async close() {
        s3.destroy();
        await close();
      },
    };
  });
});

describe.skipIf(!hasAzure)("Azure Blob", () => {
  describeStore(async () => {
    const { connectionString, close } = await startAzure();
    const service = BlobServiceClient.fromConnectionString(connectionString);
    await service.createContainer("payloads");
    return {
      settings: {
        "service.external-payload-storage.type": "azureblob",
        "service.external-payload-storage.azureblob.connectionString": connectionString,
        "service.external-payload-storage.azureblob.containerName": "payloads",
      },
      headers: { "x-ms-blob-type": "BlockBlob" },
      isDirect: true,
      async list() {
        const names: string[] = [];
        for await (const { name } of service.getContainerClient("payloads").listBlobsFlat()) names.push(name);
        return names;
      },
      close,
    };
  });
});

test("a store that cannot be reached keeps nothing from going on", async () => {
  const settings = {
    ...thresholds,
    "service.external-payload-storage.type": "azureblob",
    "service.external-payload-storage.azureblob.connectionString":
      "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://127.0.0.1:1/a",
  };
  const server = await startServer({ settings });
  try {
    const { client } = server;
    await client.registerTasks(aTask("work"));
    await client.register(aWorkflow("large", [simple("work", "a")]));
    const id = await client.start("large", large("in"));
    expect((await client.execution(id)).input).toEqual(large("in"));
  } finally {
    await server.close();
  }
}, 60_000);
