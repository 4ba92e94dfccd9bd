import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { setInterval } from "node:timers/promises";

const INTERVAL_MS = 50;

/**
 * Calls `onExceeded` when a process and its descendants together hold more memory than allowed, until the signal comes.
 * The kernel's limits are per process and leave out what processes share, so the sum is looked at from outside.
 */
export async function watchMemory(
  { pid, maxBytes, signal }: { readonly pid: number; readonly maxBytes: number; readonly signal: AbortSignal },
  onExceeded: () => void,
): Promise<void> {
  try {
    for await (const _ of setInterval(INTERVAL_MS, undefined, { signal, ref: false })) {
      if ((await treeBytes(pid)) > maxBytes) onExceeded();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function treeBytes(pid: number): Promise<number> {
  const files = new Map<string, number>();
  const held = await addTree(pid, files);
  return [...files.values()].reduce((sum, bytes) => sum + bytes, held);
}

/** What a process and its descendants hold, apart from the files in memory, which several may have open. */
async function addTree(pid: number, files: Map<string, number>): Promise<number> {
  const [own, children] = await Promise.all([processBytes(pid), childrenOf(pid), addMemoryFiles(pid, files)]);
  const below = await Promise.all(children.map((child) => addTree(child, files)));
  return below.reduce((sum, bytes) => sum + bytes, own);
}

/** Memory of its own and memory it shares with others; not that of files on a disk, which costs nothing. */
async function processBytes(pid: number): Promise<number> {
  const status = await readOrEmpty(`/proc/${pid}/status`);
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map((match) => Number(match[1]));
  return kilobytes.reduce((sum, size) => sum + size * 1024, 0);
}

/** Files made by memfd_create lie in no folder whose size could be limited. */
async function addMemoryFiles(pid: number, files: Map<string, number>): Promise<void> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  await Promise.all(
    descriptors.map(async (descriptor) => {
      const path = `${folder}/${descriptor}`;
      if (!(await readlink(path).catch(() => "")).startsWith("/memfd:")) return;
      const file = await stat(path).catch(() => undefined);
      if (file !== undefined) files.set(`${file.dev}:${file.ino}`, file.blocks * 512);
    }),
  );
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/children`)));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** A process may be gone by the time it is asked. */
const readOrEmpty = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
