import { setTimeout as sleep } from "node:timers/promises";
import { quantiles } from "../statistics.mjs";
import { createApi, repeat } from "./api.mjs";
import { probeSteadily, registerProbe, untilAtRest } from "./probe.mjs";

const types = 10;
const typeOf = (i) => `million_ended_${i % types}`;
const rareWord = (i) => `needle${Math.floor(i / 20)}x`;

/** n executions that have ended: finding and reading them, and clearing them away while work goes on. */
export async function measureEnded({ instance, restart, hasRetention, n, concurrency, searches, clearing, say }) {
  const api = createApi(instance.base);
  await registerTypes(api);
  await registerProbe(api);
  say(`running ${n} executions to their end`);
  const ids = [];
  let newestId;
  const filledFrom = Date.now();
  const endedPerSecond = await repeat({
    n,
    concurrency,
    act: async (i) => {
      const input = {
        i,
        word: i % 4 === 0 ? "haystack" : "straw",
        rare: rareWord(i),
        fails: i % 10 === 3 ? "yes" : "no",
      };
      const id = await api.start(typeOf(i), input, { correlationId: `order-${i}` });
      if (i % 97 === 0) ids.push(id);
      if (i === n - 1) newestId = id;
    },
  });
  const filledTo = Date.now();
  const restedAfterSeconds = await untilAtRest(instance);
  say("searching");
  const found = await measureSearches({ api, n, ids, filledFrom, filledTo, searches });
  api.close();
  const result = { n, endedPerSecond, restedAfterSeconds, searches: found };
  if (!hasRetention) return { ...result, retention: "left out: not a Downbeat that the bench has started" };
  return { ...result, retention: await measureRetention({ instance, restart, newestId, clearing, say }) };
}

async function registerTypes(api) {
  for (let i = 0; i < types; i++) {
    await api.registerWorkflow(
      typeOf(i),
      [
        { name: "set", taskReferenceName: "set", type: "SET_VARIABLE", inputParameters: { i: "${workflow.input.i}" } },
        {
          name: "choose",
          taskReferenceName: "choose",
          type: "SWITCH",
          evaluatorType: "value-param",
          expression: "fails",
          inputParameters: { fails: "${workflow.input.fails}" },
          decisionCases: {
            yes: [
              {
                name: "end",
                taskReferenceName: "end",
                type: "TERMINATE",
                inputParameters: { terminationStatus: "FAILED", terminationReason: "as told" },
              },
            ],
          },
          defaultCase: [],
        },
      ],
      { outputParameters: { word: "${workflow.input.word}", rare: "${workflow.input.rare}" } },
    );
  }
}

async function measureSearches({ api, n, ids, filledFrom, filledTo, searches }) {
  const newest = { size: "100", sort: "startTime:DESC" };
  const window = (filledTo - filledFrom) / 50;
  const kinds = {
    byType: (k) => ({ query: `workflowType='${typeOf(k)}'`, ...newest }),
    byStatus: () => ({ query: "status='FAILED'", ...newest }),
    byTypeAndStatus: (k) => ({ query: `workflowType='${typeOf(k)}' AND status='COMPLETED'`, ...newest }),
    byTime: (k) => {
      const from = Math.floor(filledFrom + window * (k % 50));
      return { query: `startTime>=${from} AND startTime<${Math.ceil(from + window)}`, ...newest };
    },
    byCorrelationId: (k) => ({ query: `correlationId='order-${(k * 7919) % n}'`, size: "10" }),
    deepPage: () => ({ start: String(Math.floor(n * 0.9)), size: "50", sort: "startTime:DESC" }),
    freeTextRare: (k) => ({ freeText: rareWord((k * 7919) % n), size: "20" }),
    freeTextCommon: () => ({ freeText: "haystack", size: "20" }),
  };
  const measured = {};
  for (const [name, queryOf] of Object.entries(kinds)) {
    const times = [];
    let hits = 0;
    for (let k = 0; k < searches; k++) {
      const startedAt = performance.now();
      const { totalHits } = await api.search(queryOf(k));
      times.push(performance.now() - startedAt);
      hits = totalHits;
    }
    measured[name] = { ...quantiles(times), lastHits: hits };
  }
  const times = [];
  for (let k = 0; k < searches; k++) {
    const startedAt = performance.now();
    await api.callJson("GET", `/workflow/${ids[(k * 31) % ids.length]}?includeTasks=true`);
    times.push(performance.now() - startedAt);
  }
  return { ...measured, getById: quantiles(times) };
}

/** Steady work first with the old executions left alone, then while they are removed. */
async function measureRetention({ instance, restart, newestId, clearing, say }) {
  const { rate, perSecond, quietSeconds, clearSeconds } = clearing;
  let api = createApi(instance.base);
  await probeSteadily(api, { perSecond, seconds: 5 });
  say("steady work without clearing");
  const without = await probeSteadily(api, { perSecond, seconds: quietSeconds });
  const before = await countEnded(api);
  api.close();
  say(`clearing ${before} executions, at most ${rate} a second`);
  const settings = ["default=1s", "interval=1s", `rate=${rate}`].map((setting) => `--service.retention.${setting}`);
  const { next } = await restart(instance, settings);
  api = createApi(next.base);
  const startedAt = performance.now();
  let isCleared = false;
  // The oldest go first, so the newest tells when all are gone; counting a million every second would be a load itself.
  const watch = (async () => {
    while (!isCleared && performance.now() - startedAt < clearSeconds * 1000) {
      await sleep(1000);
      isCleared = !(await api.exists(newestId));
    }
  })();
  const during = await probeSteadily(api, { perSecond, seconds: clearSeconds, isOver: () => isCleared });
  await watch;
  const seconds = (performance.now() - startedAt) / 1000;
  const cleared = before - (await countEnded(api));
  api.close();
  return { steadyPerSecond: perSecond, cleared, clearedPerSecond: Math.round(cleared / seconds), without, during };
}

async function countEnded(api) {
  const { totalHits } = await api.search({ query: "workflowType='million_ended_*'", size: "1" });
  return totalHits;
}
