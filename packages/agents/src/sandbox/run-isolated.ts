import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { freshUid, type Isolation, isolationsFor } from "./isolation.ts";
import { codeProgram, type Program } from "./languages.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { watchMemory } from "./memory-watch.ts";
import { SandboxRefusal } from "./refusal.ts";
import { setupScript } from "./setup-script.ts";

export type IsolatedRun = Partial<Limits> & {
  /** Not at all when absent: the program sees no network, not even the server's loopback. */
  readonly allowNetwork?: boolean;
  readonly signal?: AbortSignal;
} & (
    | { readonly command: readonly string[] }
    /** `python`, `node` (or `javascript`) or `bash`. */
    | { readonly code: string; readonly language: string }
  );

export type IsolatedResult = {
  /** How it ended: by itself, or at which limit. */
  readonly outcome: "exited" | "timeout" | "output-limit" | "memory-limit";
  /** Undefined when it was ended from outside. A program that a signal ended has 128 and the signal's number. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

/**
 * Runs a command or a piece of code in a process of its own that sees neither the network nor the server's environment,
 * files and processes, in an empty folder that goes with it. Throws SandboxRefusal where it cannot be kept apart, and
 * the signal's reason when that ends it.
 */
export async function runIsolated(run: IsolatedRun): Promise<IsolatedResult> {
  if (process.platform !== "linux") {
    throw new SandboxRefusal(`Commands and code run in Linux namespaces, which ${process.platform} does not have`);
  }
  run.signal?.throwIfAborted();
  const limits = withDefaults(run);
  const program = programOf(run, limits);
  const reasons: string[] = [];
  for (const isolation of waysToTry()) {
    const tried = await attempt(isolation, { program, limits, allowNetwork: run.allowNetwork === true }, run.signal);
    if ("result" in tried) {
      if (tried.result.outcome === "exited") knownToWork = isolation;
      return tried.result;
    }
    reasons.push(`${isolation.name}: ${tried.refusal}`);
  }
  throw new SandboxRefusal(`Commands and code cannot be isolated on this machine (${reasons.join("; ")})`);
}

/** The way that worked once is taken from then on. */
let knownToWork: Isolation | undefined;

function waysToTry(): readonly Isolation[] {
  const ways = isolationsFor(process.getuid?.() ?? 0);
  return knownToWork === undefined ? ways : [knownToWork];
}

function withDefaults(run: Partial<Limits>): Limits {
  const limit = (name: keyof Limits): number => {
    const value = run[name] ?? defaultLimits[name];
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new SandboxRefusal(`Expected ${name} to be a whole number above 0, got ${value}`);
  };
  return {
    timeoutMs: limit("timeoutMs"),
    memoryBytes: limit("memoryBytes"),
    outputBytes: limit("outputBytes"),
    processes: limit("processes"),
  };
}

const MAX_COMMAND_BYTES = 64 * 1024;
const MAX_CODE_BYTES = 1024 * 1024;

function programOf(run: IsolatedRun, { memoryBytes }: Limits): Program {
  if ("code" in run) {
    assertShort("code", run.code, MAX_CODE_BYTES);
    return codeProgram(run.language, run.code, memoryBytes);
  }
  const line = run.command.join(" ");
  if (line.trim() === "") throw new SandboxRefusal("Expected a command, got none");
  if (line.includes("\0")) throw new SandboxRefusal("Expected a command without zero bytes");
  assertShort("a command", line, MAX_COMMAND_BYTES);
  return { argv: run.command, reservedBytes: 0 };
}

function assertShort(what: string, text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new SandboxRefusal(`Expected ${what} of at most ${maxBytes} bytes, got ${bytes}`);
}

type Attempt = { readonly program: Program; readonly limits: Limits; readonly allowNetwork: boolean };
type Tried = { readonly result: IsolatedResult } | { readonly refusal: string };

async function attempt(isolation: Isolation, run: Attempt, signal: AbortSignal | undefined): Promise<Tried> {
  signal?.throwIfAborted();
  const child = start(isolation, run);
  const { limits } = run;
  const ended = endOf(child);
  let limit: Limit | undefined;
  const stop = (reason: Limit) => {
    limit ??= reason;
    killGroup(child.pid);
  };
  const done = new AbortController();
  const output = collectOutput(child, limits.outputBytes, () => stop("output-limit"));
  const status = collectOutput({ stdout: child.stdio[4] as Readable }, STATUS_BYTES, () => {});
  AbortSignal.timeout(limits.timeoutMs).addEventListener("abort", () => stop("timeout"), { signal: done.signal });
  signal?.addEventListener("abort", () => stop("aborted"), { signal: done.signal });
  const watched = watchMemory({ pid: child.pid ?? 0, maxBytes: limits.memoryBytes, signal: done.signal }, () =>
    stop("memory-limit"),
  );
  const end = await ended;
  done.abort();
  await watched;
  // A process that the launcher left behind would still be in its group.
  killGroup(child.pid);
  if (limit === "aborted") throw signal?.reason;
  const { stdout, stderr } = output();
  if ("error" in end) return { refusal: end.error };
  if (limit !== undefined) return { result: { outcome: limit, exitCode: undefined, stdout, stderr } };
  if (!status().stdout.startsWith("ready")) return { refusal: stderr.trim() || "it ended at once" };
  return { result: { outcome: "exited", exitCode: end.exitCode, stdout, stderr } };
}

type Limit = Exclude<IsolatedResult["outcome"], "exited"> | "aborted";

const STATUS_BYTES = 100;

/** Ended by `timeout` too, a little later: a server that dies leaves nothing running behind it. */
const AFTER_TIMEOUT_MS = 1000;

function start(isolation: Isolation, { program, limits, allowNetwork }: Attempt): ChildProcess {
  const uid = freshUid();
  const seconds = (limits.timeoutMs + AFTER_TIMEOUT_MS) / 1000;
  const kernelLimits = [
    // The launcher and the shell above the program count too.
    `--nproc=${limits.processes + 2}`,
    `--data=${limits.memoryBytes + program.reservedBytes}`,
    `--fsize=${limits.memoryBytes}`,
    `--cpu=${Math.ceil(seconds) * 2}`,
  ];
  const setup = [
    String(limits.memoryBytes),
    isolation.isRoot ? String(uid) : "-",
    program.file?.name ?? "-",
    allowNetwork ? "host" : "none",
    realpathSync(process.execPath),
    kernelLimits.join(" "),
  ];
  const launcher = ["--signal=KILL", String(seconds), ...isolation.launcher({ allowNetwork, uid })];
  const child = spawn("timeout", [...launcher, "/bin/sh", "-c", setupScript, "sh", ...setup, ...program.argv], {
    cwd: "/",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const code = child.stdio[3] as Writable | null;
  // The reader may be gone before it has read the code; how it ended tells more than a broken pipe.
  code?.on("error", () => {});
  code?.end(program.file?.text ?? "");
  return child;
}

type End = { readonly exitCode: number } | { readonly error: string };

async function endOf(child: ChildProcess): Promise<End> {
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** What a process writes, as text, up to so many bytes; tells when there is more. */
function collectOutput(
  { stdout, stderr }: { readonly stdout?: Readable | null; readonly stderr?: Readable | null },
  maxBytes: number,
  onFull: () => void,
): () => { readonly stdout: string; readonly stderr: string } {
  let room = maxBytes;
  const collect = (stream: Readable | null | undefined): (() => string) => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => {
      if (chunk.length > room) onFull();
      chunks.push(chunk.subarray(0, room));
      room -= Math.min(room, chunk.length);
    });
    return () => Buffer.concat(chunks).toString("utf8");
  };
  const texts = { stdout: collect(stdout), stderr: collect(stderr) };
  return () => ({ stdout: texts.stdout(), stderr: texts.stderr() });
}

/** The launcher and what it started; with the first process of the namespace every other one in it ends. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
