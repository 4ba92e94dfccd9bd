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

const cpuMs = (before?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const piece = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ n, text: `piece ${n}` })));

/** What a fixed piece of work costs now: machines get slower and faster within seconds, and turns with them. */
function yardstick(): number {
  const before = process.cpuUsage();
  for (let i = 0; i < 20; i++) JSON.parse(piece);
  return cpuMs(before);
}

/** An agent that calls a tool in every turn, and what each cost the processor, in yardsticks. */
async function longRun() {
  const agent = anAgent({ tools: [aTool("look_up", { maxCalls: 2 * TURNS })], maxTurns: TURNS });
  const costs: number[] = [];
  let before = process.cpuUsage();
  server.script(`${agent.name}_llm`, (_input, turn) => {
    const spent = cpuMs(before);
    costs.push(spent / yardstick());
    before = process.cpuUsage();
    return calling(["look_up", { q: String(turn) }]);
  });
  return { agent, run: await server.ended(await server.start(agent), RUN_MS), costs };
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
  // The machine has other things to do as well: three runs of 200 turns are enough for one without them.
  retry: 2,
}, async () => {
  const { costs } = await longRun();
  const [first, last] = [median(costs.slice(FIRST, FIRST + COMPARED)), median(costs.slice(-COMPARED))];
  process.stdout.write(`A turn of an agent: ${first.toFixed(2)} yardsticks at first, ${last.toFixed(2)} at last\n`);
  expect(last).toBeLessThanOrEqual(1.3 * first);
});
