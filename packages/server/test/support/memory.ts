import { existsSync, readFileSync } from "node:fs";

const statusOf = (pid: number | undefined): string => `/proc/${pid}/status`;

/** Whether this machine tells what memory a process uses. */
export const canMeasureMemory = existsSync(statusOf(process.pid));

/** Resident memory of a process: now, and at its highest. */
export function memoryOf(pid: number | undefined): { readonly now: number; readonly peak: number } {
  const status = readFileSync(statusOf(pid), "utf8");
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
  return { now: read("VmRSS"), peak: read("VmHWM") };
}
