import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;
const treeAgeMs = 500;

/**
 * What a set of processes and all their descendants have used. Descendants that have ended count too: the kernel adds
 * their time to the parent that waited for them.
 * @param {readonly number[]} roots
 */
export function watchProcesses(roots) {
  let members = [...roots];
  let lookedAt = 0;

  /** CPU seconds of all threads since their start, and resident MiB; undefined where nothing is to be read. */
  const usage = ({ fresh = false } = {}) => {
    // Looking through all processes costs about a millisecond; a loop that asks thousands of times must not pay it.
    if (fresh || performance.now() - lookedAt > treeAgeMs) {
      members = descendantsOf(roots);
      lookedAt = performance.now();
    }
    const read = members.map(readProcess).filter((each) => each !== undefined);
    if (read.length === 0) return undefined;
    const sum = (what) => read.reduce((total, each) => total + each[what], 0);
    return { cpu: sum("cpu"), rss: sum("rss") };
  };
  return { usage };
}

/** CPU seconds and most resident MiB of some processes between now and the call of what this returns. */
export function startMeter(roots) {
  const { usage } = watchProcesses(roots);
  const before = usage({ fresh: true });
  let peakMib = before?.rss ?? 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, usage()?.rss ?? 0);
  }, 500);
  timer.unref();
  return () => {
    clearInterval(timer);
    const after = usage({ fresh: true });
    if (before === undefined || after === undefined) return undefined;
    return { cpuSeconds: after.cpu - before.cpu, peakMib: Math.max(peakMib, after.rss) };
  };
}

function descendantsOf(roots) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? statOf(pid)?.[1] : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [];
  for (const next = roots.map(Number); next.length > 0; ) {
    const pid = next.pop();
    found.push(pid);
    next.push(...(children.get(String(pid)) ?? []));
  }
  return found;
}

/** The fields of /proc/PID/stat after the name, which may itself hold spaces: state, parent, ... */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function readProcess(pid) {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  const [user, system, userOfEnded, systemOfEnded] = stat.slice(11, 15).map(Number);
  return {
    cpu: (user + system + userOfEnded + systemOfEnded) / ticksPerSecond,
    rss: (Number(stat[21]) * 4096) / 1024 / 1024,
  };
}
