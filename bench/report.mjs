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

function mediansOf(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.figures)))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      median(runs.map((run) => run.figures[name]).filter((figure) => typeof figure === "number")),
    ]),
  );
}

/** The table of a comparison, as Markdown. */
export function renderReport(results) {
  const lines = [
    "# Comparison",
    "",
    `Written by \`npm run bench:compare\`: medians of ${results.rounds} rounds in which the systems took turns, counts times ${results.scale}. ${results.machine}; client and systems on the same machine. [The chart](compare.svg). \`bench/README.md\` says what the scenarios are.`,
    "",
    "CPU is milliseconds per unit of work of all threads and processes: of the server, of its database (PostgreSQL's own processes), of the worker or service process where there is one, and of the load client itself. Ratios are to the reference server on the same kind of store (peers: to the reference on PostgreSQL or, without it, on SQLite): above 1 is better for rates, below 1 is better for CPU. Growth is the last tenth over the first. Memory is the most the server had resident.",
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
    "Ratio",
    "Server CPU ms",
    "Ratio",
    "Database CPU ms",
    "Worker CPU ms",
    "Client CPU ms",
    "p50 ms",
    "p99 ms",
    "Growth",
    "Memory MiB",
  ];
  const cells = rows.map(({ system, counts, failed, figures }) => [
    failed === 0 ? system.title : `${system.title} (${failed} failed)`,
    Object.values(counts ?? {})[0]?.toLocaleString("en") ?? "",
    show(figures.rate),
    ratio("rate", { system, figures, rows }),
    show(figures.serverCpuMs),
    ratio("serverCpuMs", { system, figures, rows }),
    show(figures.databaseCpuMs),
    show(figures.workerCpuMs),
    show(figures.clientCpuMs),
    show(figures.p50),
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
  return [`## ${scenario.name}`, "", `Per ${scenario.unit}.`, "", line(head), rule, ...cells.map(line)];
}

/** A figure over that of the reference on the same store. */
function ratio(name, { system, figures, rows }) {
  if (system.name.startsWith("reference")) return "";
  const find = (wanted) => rows.find((row) => row.system.name === wanted)?.figures[name];
  const store = system.name.endsWith("sqlite") ? "sqlite" : "postgres";
  const base = find(`reference-${store}`) ?? find("reference-sqlite") ?? find("reference-postgres");
  if (!base || figures[name] === undefined) return "";
  return show(figures[name] / base);
}

const plural = (unit) => unit.replace(/^(\w*[^h\W])\b/, "$1s").replace(/^branch\b/, "branches");

/** Three digits that matter. */
function show(number) {
  if (number === undefined || number === null) return "";
  if (number === 0 || Math.abs(number) >= 100) return Math.round(number).toLocaleString("en");
  return String(Number(number.toPrecision(2 + (Math.abs(number) >= 10 ? 1 : 0))));
}
