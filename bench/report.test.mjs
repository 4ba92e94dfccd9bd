import { expect, test } from "vitest";
import { renderReport } from "./report.mjs";

const run = (system, round, figures) => ({
  system,
  round,
  scenario: "simple3",
  counts: { n: 10 },
  load: 1,
  ...(figures ? { figures } : { problem: "it failed" }),
});
const report = (runs) => renderReport({ machine: "a machine", rounds: 3, scale: 1, absent: [], runs });
const rowOf = (text, title) =>
  text
    .split("\n")
    .find((line) => line.startsWith(`| ${title}`))
    ?.split("|")
    .map((cell) => cell.trim());

test("figures are medians of the rounds, beside the reference on the same store", () => {
  const text = report([
    run("downbeat-sqlite", 1, { rate: 300, serverCpuMs: 2 }),
    run("downbeat-sqlite", 2, { rate: 900, serverCpuMs: 1 }),
    run("downbeat-sqlite", 3, { rate: 200, serverCpuMs: 4 }),
    run("reference-sqlite", 1, { rate: 30, serverCpuMs: 40 }),
    run("reference-postgres", 1, { rate: 3, serverCpuMs: 400 }),
  ]);
  expect(rowOf(text, "Downbeat, SQLite").slice(3, 7)).toEqual(["300 (200 to 900)", "10", "2", "20"]);
});

test("a store whose reference is missing is compared with nothing", () => {
  const text = report([
    run("downbeat-postgres", 1, { rate: 300, serverCpuMs: 2 }),
    run("reference-sqlite", 1, { rate: 30, serverCpuMs: 40 }),
  ]);
  expect(rowOf(text, "Downbeat, PostgreSQL").slice(3, 5)).toEqual(["300", "2"]);
});

test("failed runs are counted and left out of the figures", () => {
  const text = report([run("downbeat-sqlite", 1, { rate: 300 }), run("downbeat-sqlite", 2)]);
  expect(rowOf(text, "Downbeat, SQLite (1 failed)")?.[3]).toBe("300");
});
