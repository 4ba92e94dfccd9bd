import { cpus, totalmem } from "node:os";

/** What a figure was taken on, in words. */
export function describeMachine() {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${gib} GiB, Node ${process.version.slice(1)}`;
}
