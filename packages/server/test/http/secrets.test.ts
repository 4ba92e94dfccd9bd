import { expect, test } from "vitest";
import type { Json } from "../support/client.ts";
import { startServer } from "../support/server.ts";

const names = async (settings: Readonly<Record<string, string>>): Promise<unknown> => {
  const env = { SERVICE_SECRET_A: "1", VAULT_B: "2", CONDUCTOR_SECRET_C: "3" };
  const server = await startServer({ env, settings });
  const { json } = await server.client.get("/secrets");
  const put = await server.client.send("PUT", "/secrets/X", { text: "v", headers: { "content-type": "text/plain" } });
  await server.close();
  return [json, put.status, (put.json as Json)["message"]];
};

test("secrets are in the environment, under a prefix, and cannot be written there; or they are off", async () => {
  expect(await names({})).toEqual([["A", "C"], 501, "env-backed secrets are read-only"]);
  expect(await names({ "service.secrets.env.prefix": " " })).toEqual(await names({}));
  const prefixed = await names({ "service.secrets.env.prefix": "VAULT_" });
  expect(prefixed).toEqual([["B", "C"], 501, "env-backed secrets are read-only"]);
  expect(await names({ "service.secrets.type": "noop" })).toEqual([[], 501, "secrets are disabled"]);
});
