// The peer's side of the durable-steps scenario: an HTTP server that runs a workflow of three durable steps for each
// POST and answers its result. Started by dbos.mjs with the folder its package is in, the port and the database.
import { createServer } from "node:http";
import { importFrom } from "./install.mjs";

const [, , home, port, systemDatabaseUrl] = process.argv;
const { DBOS } = await importFrom(home, "@dbos-inc/dbos-sdk");

const steps = DBOS.registerWorkflow(
  async ({ i, pad }) => {
    let hops = 0;
    for (const name of ["s1", "s2", "s3"]) {
      const step = await DBOS.runStep(async () => ({ i, hops: hops + 1, pad }), { name });
      hops = step.hops;
    }
    return { i, hops };
  },
  { name: "steps" },
);

DBOS.setConfig({ name: "bench", systemDatabaseUrl, logLevel: "error", applicationVersion: "1" });
await DBOS.launch();

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.end();
  try {
    let body = "";
    for await (const part of request) body += part;
    const result = JSON.stringify(await steps(JSON.parse(body)));
    response.setHeader("content-type", "application/json").end(result);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
