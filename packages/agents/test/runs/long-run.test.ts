import { expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, tasksOf, useAgentServer } from "../support/agent-server.ts";

const TURNS = 200;
/** Turns that are compared: these from the first on, and the last ones. */
const FIRST = 40;
const COMPARED = 30;
/** Longest time a run may take on a busy machine. */
const RUN_MS = 100_000;

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}`, _state_updates: { seen: String(q) } }));
});

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** An agent that calls a tool in every turn, and what the processor had to do for each. */
async function longRun() {
  const agent = anAgent({ tools: [aTool("look_up", { maxCalls: 2 * TURNS })], maxTurns: TURNS });
  const cpuMs: number[] = [];
  let before = process.cpuUsage();
  server.script(`${agent.name}_llm`, (_input, turn) => {
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1000);
    before = process.cpuUsage();
    return calling(["look_up", { q: String(turn) }]);
  });
  return { agent, run: await server.ended(await server.start(agent), RUN_MS), cpuMs };
}

test("no task of a turn is given or gives more at the end of a long run than at its start", {
  timeout: 120_000,
}, async () => {
  const { agent, run } = await longRun();
  expect(run.status).toBe("COMPLETED");
  expect(tasksOf(run, `${agent.name}_llm`)).toHaveLength(TURNS);
  const sizes = (turn: number): ReadonlyMap<string, number> =>
    new Map(
      run.tasks
        .filter(({ iteration }) => iteration === turn)
        .map(({ referenceTaskName, inputData, outputData }) => [
          referenceTaskName.replace(/__\d+$/, "").replace(/^call_\d+/, "call"),
          JSON.stringify([inputData, outputData]).length,
        ]),
    );
  const [first, last] = [sizes(100), sizes(TURNS - 1)];
  expect(first.size).toBeGreaterThan(5);
  expect([...last.keys()]).toEqual([...first.keys()]);
  for (const [ref, size] of last) expect(size, ref).toBeLessThanOrEqual((first.get(ref) ?? 0) + 20);
});

test("a turn costs the processor as much at the end of a long run as at its start", {
  timeout: 240_000,
  // The machine has other things to do as well: five runs of 200 turns are enough for one without them.
  retry: 4,
}, async () => {
  const { cpuMs } = await longRun();
  const [first, last] = [median(cpuMs.slice(FIRST, FIRST + COMPARED)), median(cpuMs.slice(-COMPARED))];
  process.stdout.write(
    `A turn of an agent: ${first.toFixed(1)} ms of processor at first, ${last.toFixed(1)} at last\n`,
  );
  expect(last).toBeLessThanOrEqual(1.3 * first + 1);
});
