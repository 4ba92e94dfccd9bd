// A server in a process of its own, for tests that kill it: node child-main.ts <folder> <address of the model>
import { RawJson } from "@downbeat/engine";
import { startServer } from "@downbeat/server/testing";
import { extension } from "../../src/index.ts";

const [folder = "", model = ""] = process.argv.slice(2);
const server = await startServer({
  folder,
  extensions: [extension],
  taskTypes: [{ type: "LLM_CHAT_COMPLETE", mode: "outside", initialStatus: "SCHEDULED" }],
  executors: [
    {
      type: "LLM_CHAT_COMPLETE",
      concurrency: 4,
      async run({ input, signal }) {
        const response = await fetch(model, { method: "POST", body: JSON.stringify(input), signal });
        return { status: "COMPLETED", outputMode: "replace", output: new RawJson(await response.text()) };
      },
    },
  ],
});
process.stdout.write(`${server.client.base}\n`);
