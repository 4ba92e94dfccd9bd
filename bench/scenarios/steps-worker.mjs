// The one worker process of the durable-steps scenario: long polls for batches of every task type it is given and
// completes what it gets. Says when it polls; told to stop, it says what it has done.
import { loopback, readArguments } from "../arguments.mjs";
import { createClient } from "../client.mjs";

const settings = readArguments({ base: undefined, types: "", pollers: 2, batch: 50, "poll-timeout": 1000 });
const base = loopback(settings.base);
const client = createClient({ host: base.hostname, port: Number(base.port) });
const root = base.pathname.replace(/\/$/, "");
const seen = new Set();
let duplicates = 0;
let isStopping = false;

const pollers = settings.types
  .split(",")
  .flatMap((type) => Array.from({ length: settings.pollers }, (_, at) => poll(type, `w${at}`)));
process.send("polling");
process.once("message", async () => {
  isStopping = true;
  await Promise.all(pollers);
  process.send({ tasks: seen.size, duplicates });
});
process.on("disconnect", () => process.exit(0));

async function poll(type, workerId) {
  const path = `${root}/tasks/poll/batch/${type}?count=${settings.batch}&timeout=${settings["poll-timeout"]}&workerid=${workerId}`;
  while (!isStopping) {
    const { status, text } = await client.request("GET", path);
    const tasks = status === 200 && text !== "" ? JSON.parse(text) : [];
    await Promise.all(tasks.map((task) => complete(task, workerId)));
  }
}

async function complete({ taskId, workflowInstanceId, inputData }, workerId) {
  if (seen.has(taskId)) {
    duplicates += 1;
    return;
  }
  seen.add(taskId);
  const { i, hops, pad } = inputData;
  const outputData = { i, hops: hops + 1, pad };
  const update = { workflowInstanceId, taskId, workerId, status: "COMPLETED", outputData };
  const { status, text } = await client.request("POST", `${root}/tasks`, JSON.stringify(update));
  if (status >= 300) throw new Error(`Expected the update to be taken, got ${status} ${text.slice(0, 200)}`);
}
