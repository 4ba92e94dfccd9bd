import type { Extension, Runtime } from "@downbeat/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, startAiServer } from "./support/ai-server.ts";
import { openaiCalls, openaiResponse } from "./support/replies.ts";
import { talk, toolsOfTurn } from "./support/talks.ts";

const TURNS = 200;
/** Turns that are compared: these from the first on, and the last ones. */
const FIRST = 40;
const COMPARED = 30;

/** Rows of tasks and payloads that the server has read so far. */
let read = 0;

/** Counts what the server reads, for reads have no other trace. */
function countReads({ store: { executions } }: Runtime): void {
  const { all, payload, task } = executions;
  Object.assign(executions, {
    async all(...given: Parameters<typeof all>) {
      const tasks = await all(...given);
      read += tasks.length;
      return tasks;
    },
    payload(...given: Parameters<typeof payload>) {
      read += 1;
      return payload(...given);
    },
    task(...given: Parameters<typeof task>) {
      read += 1;
      return task(...given);
    },
  });
}

const counting: Extension = {
  name: "counting",
  open(runtime) {
    countReads(runtime);
    return {};
  },
};

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({ extensions: [counting] });
});
afterAll(() => server.close());

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

type Cost = { readonly reads: number; readonly cpuMs: number };

/** A busy machine takes its time, and whoever looks often takes more of it. */
async function ended(id: string): Promise<void> {
  for (;;) {
    const { json } = await server.client.get(`/workflow/${id}/status?includeOutput=false`);
    const { status } = json as { readonly status: string };
    if (status !== "RUNNING") return expect(status).toBe("COMPLETED");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What each turn cost, from one question to the model to the next. */
async function costOfTurns(name: string, answer: (turn: number) => ReturnType<typeof openaiResponse>) {
  const costs: Cost[] = [];
  let turn = 0;
  let [readsBefore, cpuBefore] = [read, process.cpuUsage()];
  server.provider.answer(() => {
    const { user, system } = process.cpuUsage(cpuBefore);
    costs.push({ reads: read - readsBefore, cpuMs: (user + system) / 1000 });
    [readsBefore, cpuBefore] = [read, process.cpuUsage()];
    return answer(++turn);
  });
  await ended(await server.client.start(name));
  expect(costs).toHaveLength(TURNS);
  return { first: costs.slice(FIRST, FIRST + COMPARED), last: costs.slice(-COMPARED) };
}

const kinds = [
  ["without tools", [], (turn: number) => openaiResponse(`turn ${turn}`)],
  [
    "with a tool in every turn",
    toolsOfTurn,
    (turn: number) => openaiCalls({ id: `call_${turn}`, name: "lookup", args: `{"key":"${turn}"}` }),
  ],
] as const;

test.each(kinds)(
  "a turn reads as much at the end of a long conversation %s as at its start",
  {
    timeout: 120_000,
  },
  async (kind, after, answer) => {
    const name = `reads ${kind}`.replaceAll(" ", "_");
    await server.client.register(talk(name, TURNS, {}, ...after));
    const { first, last } = await costOfTurns(name, answer);
    const readsOf = (costs: readonly Cost[]): number => median(costs.map(({ reads }) => reads));
    expect(readsOf(first)).toBeGreaterThan(0);
    expect(readsOf(last)).toBe(readsOf(first));
  },
);

/** Processor time that the request itself may take more: it carries the conversation, and libraries read all of it. */
const REQUEST_MS = 3;

test("a turn with a tool costs the processor about as much at the end of a long conversation as at its start", {
  timeout: 240_000,
  // The machine has other things to do as well: three conversations of 200 turns are enough for one without them.
  retry: 2,
}, async () => {
  const [, [, after, answer]] = kinds;
  await server.client.register(talk("costs", TURNS, {}, ...after));
  const { first, last } = await costOfTurns("costs", answer);
  const [before, then] = [median(first.map(({ cpuMs }) => cpuMs)), median(last.map(({ cpuMs }) => cpuMs))];
  process.stdout.write(`A turn: ${before.toFixed(1)} ms of processor at first, ${then.toFixed(1)} at last\n`);
  expect(then).toBeLessThanOrEqual(1.3 * before + REQUEST_MS);
});
