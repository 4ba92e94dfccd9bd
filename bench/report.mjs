import { scenarios } from "./scenarios/index.mjs";
import { median } from "./statistics.mjs";
import { systems } from "./systems/index.mjs";

/** Medians of all rounds: by scenario, then by system, each figure with how many rounds it comes from. */
export function summarize({ runs }) {
  return scenarios
    .map((scenario) => ({
      scenario,
      rows: systems.flatMap((system) => {
        const mine = runs.filter((run) => run.scenario === scenario.name && run.system === system.name);
        if (mine.length === 0) return [];
        const good = mine.filter((run) => run.figures !== undefined);
        return [
          {
            system,
            counts: mine[0].counts,
            failed: mine.length - good.length,
            rounds: good.length,
            figures: mediansOf(good),
          },
        ];
      }),
    }))
    .filter(({ rows }) => rows.length > 0);
}

/** Server, database and worker together: what the work costs, however a system divides it among processes. */
function wholeCpu({ serverCpuMs, databaseCpuMs = 0, workerCpuMs = 0 }) {
  return serverCpuMs === undefined ? undefined : serverCpuMs + databaseCpuMs + workerCpuMs;
}

function mediansOf(runs) {
  const figures = runs.map((run) => ({ ...run.figures, wholeCpuMs: wholeCpu(run.figures) }));
  const names = [...new Set(figures.flatMap((each) => Object.keys(each)))];
  const numbersOf = (name) => figures.map((each) => each[name]).filter((figure) => typeof figure === "number");
  const medians = Object.fromEntries(names.map((name) => [name, median(numbersOf(name))]));
  const rates = numbersOf("rate");
  return { ...medians, lowestRate: Math.min(...rates), highestRate: Math.max(...rates) };
}

/** The table of a comparison, as Markdown. */
export function renderReport(results) {
  const lines = [
    "# Comparison",
    "",
    `Written by \`npm run bench:compare\`: medians of ${count(results.rounds, "round")} in which the systems took turns, counts times ${results.scale}. ${results.machine}; client and systems on the same machine, whose load average before each run was ${loadRange(results.runs)}. [The chart](compare.svg). \`bench/README.md\` says what the scenarios are.`,
    "",
    "CPU is milliseconds per unit of work of all threads and processes: of the server, of its database (PostgreSQL's own processes), of the worker or service process where there is one, of these three together, and of the load client itself. DBOS is a library: its server is its worker. Times better is against the reference server on the same store (peers: on PostgreSQL or, without it, on SQLite). Growth is the last tenth over the first. Memory is the most the server had resident.",
  ];
  for (const { scenario, rows } of summarize(results)) lines.push("", ...renderScenario(scenario, rows));
  for (const { title, why } of results.absent) lines.push("", `${title} was left out: ${why}`);
  const startFailures = results.runs.filter((run) => run.scenario === "start");
  for (const run of startFailures) lines.push("", `${run.system}, round ${run.round}: ${run.problem}`);
  return `${lines.join("\n")}\n`;
}

function renderScenario(scenario, rows) {
  const head = [
    "System",
    "Count",
    `${plural(scenario.unit)}/s`,
    "Times better",
    "Server CPU ms",
    "Times better",
    "Database CPU ms",
    "Worker CPU ms",
    "All CPU ms",
    "Client CPU ms",
    "p50 ms",
    "p95 ms",
    "p99 ms",
    "Growth",
    "Memory MiB",
  ];
  const cells = rows.map(({ system, counts, failed, figures }) => [
    failed === 0 ? system.title : `${system.title} (${failed} failed)`,
    Object.values(counts ?? {})[0]?.toLocaleString("en") ?? "",
    showRate(figures),
    show(timesBetter({ system, rows, better: ({ rate }, reference) => rate / reference.rate })),
    show(figures.serverCpuMs),
    show(timesBetter({ system, rows, better: ({ serverCpuMs }, reference) => reference.serverCpuMs / serverCpuMs })),
    show(figures.databaseCpuMs),
    show(figures.workerCpuMs),
    show(figures.wholeCpuMs),
    show(figures.clientCpuMs),
    show(figures.p50),
    show(figures.p95),
    show(figures.p99),
    show(figures.growth),
    show(figures.memoryMib),
  ]);
  const used = head.map((_, at) => cells.some((row) => row[at] !== ""));
  const line = (row) => `| ${row.filter((_, at) => used[at]).join(" | ")} |`;
  const rule = `|${head
    .filter((_, at) => used[at])
    .map((_, at) => (at === 0 ? "---" : "---:"))
    .join("|")}|`;
  return [
    `## ${scenario.name}`,
    "",
    `Per ${scenario.unit}${scenario.about ? ` ${scenario.about}` : ""}.`,
    "",
    line(head),
    rule,
    ...cells.map(line),
  ];
}

/** How many times better a system does than the reference; undefined where there is nothing to compare. */
function timesBetter({ system, rows, better }) {
  if (system.name.startsWith("reference")) return undefined;
  const find = (name) => rows.find((row) => row.system.name === name)?.figures;
  const [, store] = system.name.split("-");
  const reference = store ? find(`reference-${store}`) : (find("reference-postgres") ?? find("reference-sqlite"));
  const times = reference && better(find(system.name), reference);
  return Number.isFinite(times) ? times : undefined;
}

function showRate({ rate, lowestRate, highestRate }) {
  if (rate === undefined || lowestRate === highestRate) return show(rate);
  return `${show(rate)} (${show(lowestRate)} to ${show(highestRate)})`;
}

function loadRange(runs) {
  const loads = runs.map((run) => run.load).filter((load) => load !== undefined);
  return `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

const plural = (unit) => (unit.endsWith("h") ? `${unit}es` : `${unit}s`);

/** Three digits that matter. */
function show(number) {
  if (number === undefined || number === null) return "";
  if (number === 0 || Math.abs(number) >= 100) return Math.round(number).toLocaleString("en");
  return String(Number(number.toPrecision(2 + (Math.abs(number) >= 10 ? 1 : 0))));
}
