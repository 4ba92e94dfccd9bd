import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createSandbox, type IsolatedRun, runIsolated, SandboxRefusal } from "../../src/index.ts";

/** Where namespaces are forbidden there is nothing to test but the refusal, which says so. */
const refusal = await runIsolated({ command: ["true"] }).then(
  () => undefined,
  (error: Error) => error,
);
const noInterpreter = async (command: string) =>
  refusal !== undefined || (await runIsolated({ command: [command, "--version"] })).exitCode !== 0;
const noPython = await noInterpreter("python3");

const megabyte = 1024 * 1024;
const bash = (code: string, more: Partial<IsolatedRun> = {}) =>
  runIsolated({ code, language: "bash", ...more } as IsolatedRun);
const python = (code: string, more: Partial<IsolatedRun> = {}) =>
  runIsolated({ code, language: "python", ...more } as IsolatedRun);

test("where nothing can be isolated, nothing runs, and the reason is told", async () => {
  const { message } = refusal ?? { message: await refusalWithoutPrivileges() };
  expect(message).toMatch(/^Commands and code (cannot be isolated on this machine \(.+\)|run in Linux namespaces)/);
});

/** From a process that may not make namespaces: root of one in which there are to be no others, without privileges. */
async function refusalWithoutPrivileges(): Promise<string> {
  const index = new URL("../../src/index.ts", import.meta.url);
  const script = `import { runIsolated } from ${JSON.stringify(index.href)};
    await runIsolated({ command: ["true"] }).then(() => console.log("it ran"), (error) => console.log(error.message));`;
  const drop = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"';
  const node = [process.execPath, "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)("unshare", [
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    drop,
    "sh",
    ...node,
  ]);
  return stdout.trim();
}

describe.skipIf(refusal !== undefined)("an isolated program", () => {
  test("runs, and gives its output and exit code", async () => {
    const result = await bash("echo out; echo err >&2; exit 7");
    expect(result).toEqual({ outcome: "exited", exitCode: 7, stdout: "out\n", stderr: "err\n" });
  });

  test("may be a command with arguments, which no shell reads", async () => {
    expect(await runIsolated({ command: ["echo", "$HOME", "a b;c"] })).toMatchObject({ stdout: "$HOME a b;c\n" });
    expect(await runIsolated({ command: ["no-such-command"] })).toMatchObject({ outcome: "exited", exitCode: 127 });
  });

  test("may be JavaScript", async () => {
    const code = 'import { readdirSync } from "node:fs"; console.log(readdirSync(".").join(), 6 * 7);';
    expect(await runIsolated({ code, language: "node" })).toMatchObject({ exitCode: 0, stdout: "main.mjs 42\n" });
  });

  test.skipIf(noPython)("may be Python", async () => {
    expect(await python("print(sum(range(10)))")).toMatchObject({ exitCode: 0, stdout: "45\n" });
  });

  test("that crashes has the exit code of its signal", async () => {
    expect(await bash("kill -SEGV $$")).toMatchObject({ outcome: "exited", exitCode: 139 });
  });

  test("has a folder of its own that is empty, can be written, and is gone afterwards", async () => {
    expect(await bash("ls -A; echo kept > a; cat a; pwd")).toMatchObject({ stdout: "main.sh\nkept\n/work\n" });
    expect(await bash("ls -A")).toMatchObject({ stdout: "main.sh\n" });
  });
});

test.each<[IsolatedRun, string]>([
  [{ command: [] }, "Expected a command, got none"],
  [{ command: ["ls", "a\0b"] }, "Expected a command without zero bytes"],
  [{ command: ["echo", "x".repeat(70_000)] }, "Expected a command of at most 65536 bytes, got 70005"],
  [{ code: "x".repeat(1024 * 1024 + 1), language: "bash" }, "Expected code of at most 1048576 bytes, got 1048577"],
  [{ command: ["ls"], timeoutMs: 0 }, "Expected timeoutMs to be a whole number above 0, got 0"],
  [{ command: ["ls"], memoryBytes: Number.NaN }, "Expected memoryBytes to be a whole number above 0, got NaN"],
])("what cannot be run is refused", async (run, message) => {
  await expect(runIsolated(run)).rejects.toThrow(new SandboxRefusal(message));
});

describe.skipIf(refusal !== undefined)("an isolated program cannot", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "secret-"));
    writeFileSync(join(folder, "secret.txt"), "the-secret", { mode: 0o666 });
    process.env["SANDBOX_TEST_SECRET"] = "the-secret";
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    delete process.env["SANDBOX_TEST_SECRET"];
  });

  test("see the server's environment, its own or through /proc", async () => {
    const { stdout } = await runIsolated({ command: ["env"] });
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.sort()).toEqual(["HOME", "LANG", "PATH", "PWD", "TMPDIR"]);
    const others = await bash("cat /proc/*/environ | tr '\\0' '\\n'");
    expect(others.stdout).toContain("HOME=/work");
    expect(others.stdout).not.toContain("SECRET");
  });

  test("find anything but system programs and its own folder", async () => {
    const { stdout } = await bash("ls -A /; ls -A /usr /usr/local /etc /runtime");
    const known = [
      "alternatives",
      "bin",
      "dev",
      "etc",
      "ld.so.cache",
      "lib",
      "lib32",
      "lib64",
      "libexec",
      "local",
      "node",
    ];
    known.push("passwd", "proc", "runtime", "sbin", "share", "usr", "work");
    const found = stdout.split("\n").filter((line) => line !== "" && !line.endsWith(":"));
    expect(found.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("read files of the machine, by any path", async () => {
    const paths = [join(folder, "secret.txt"), "/etc/shadow", "/root", "/home", "/work/../etc/hostname", process.cwd()];
    for (const path of paths) {
      const { stdout, exitCode } = await bash(`cat ${path} || ls ${path}`);
      expect([path, stdout, exitCode]).toEqual([path, "", 2]);
    }
    const root = `/proc/1/root${folder}/secret.txt`;
    expect(await bash(`cat ${root}`)).toMatchObject({ stdout: "", exitCode: 1 });
  });

  test("see or touch other processes", async () => {
    const { stdout } = await bash(`ls /proc | grep -c '^[0-9]'; kill -9 ${process.pid}; kill -9 -1; echo alive`);
    expect(Number(stdout.split("\n")[0])).toBeLessThan(10);
  });

  test("write anywhere else, mount, or get privileges", async () => {
    const { stdout } = await bash(`
      for path in / /usr/bin /etc /dev /runtime; do touch $path/x 2>/dev/null && echo wrote $path; done
      mount -t tmpfs none /work 2>/dev/null && echo mounted
      mount -o remount,rw / 2>/dev/null && echo remounted
      unshare --mount true 2>/dev/null && echo unshared
      chroot / true 2>/dev/null && echo chrooted
      grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status | tr -s '[:space:]' ' '
    `);
    expect(stdout).toBe("CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ");
  });

  test.skipIf(noPython)("reach the network, not even the server's own loopback", async () => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const code = `import urllib.request\nprint(urllib.request.urlopen("http://127.0.0.1:${port}", timeout=5).read())`;
    const alone = await python(code);
    expect([alone.exitCode, alone.stdout]).toEqual([1, ""]);
    expect(alone.stderr).toMatch(/Network is unreachable|Cannot assign|refused/);
    expect(await python(code, { allowNetwork: true })).toMatchObject({ stdout: "b'reached'\n" });
    server.close();
  });
});

describe.skipIf(refusal !== undefined)("an isolated program is limited", () => {
  test("in time", async () => {
    const began = performance.now();
    const result = await bash("trap '' TERM; echo before; sleep 60", { timeoutMs: 4000 });
    expect(result).toEqual({ outcome: "timeout", exitCode: undefined, stdout: "before\n", stderr: "" });
    expect(performance.now() - began).toBeLessThan(9000);
  });

  test("by whoever called it off", async () => {
    const controller = new AbortController();
    const running = bash("sleep 60", { signal: controller.signal });
    controller.abort(new Error("called off"));
    await expect(running).rejects.toThrow("called off");
    await expect(bash("true", { signal: controller.signal })).rejects.toThrow("called off");
  });

  test("in output", async () => {
    const result = await bash("yes & yes >&2", { outputBytes: 10_000 });
    expect(result).toMatchObject({ outcome: "output-limit", exitCode: undefined });
    expect(result.stdout.length + result.stderr.length).toBe(10_000);
  });

  test.skipIf(noPython)("in memory of one process", async () => {
    const { stderr, exitCode } = await python("x = bytearray(1 << 30)", { memoryBytes: 64 * megabyte });
    expect([exitCode, stderr.trim().split("\n").at(-1)]).toEqual([1, "MemoryError"]);
  });

  test.skipIf(noPython)("in memory of several together", async () => {
    const code =
      "import os, time\nfor _ in range(4): os.fork()\nx = bytearray(b'x') * (40 << 20)\nprint('held', flush=True)\ntime.sleep(60)";
    const { outcome } = await python(code, { memoryBytes: 128 * megabyte, processes: 32, timeoutMs: 20_000 });
    expect(outcome).toBe("memory-limit");
  });

  test.skipIf(noPython)("in memory that processes share", async () => {
    const code =
      "import mmap, time\nx = mmap.mmap(-1, 512 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(60)";
    const { outcome } = await python(code, { memoryBytes: 64 * megabyte, timeoutMs: 20_000 });
    expect(outcome).toBe("memory-limit");
  });

  test.skipIf(noPython)("in memory of files that lie in no folder", async () => {
    const code = `import os, time
fds = [os.memfd_create("x") for _ in range(8)]
for fd in fds: os.write(fd, bytes(16 << 20))
time.sleep(60)`;
    const { outcome } = await python(code, { memoryBytes: 64 * megabyte, timeoutMs: 20_000 });
    expect(outcome).toBe("memory-limit");
  });

  test("in memory of JavaScript", async () => {
    const code = "const all = []; for (;;) all.push(new Array(1e6).fill(0).map(Math.random));";
    const result = await runIsolated({ code, language: "node", memoryBytes: 128 * megabyte, timeoutMs: 20_000 });
    expect(result.outcome === "memory-limit" || (result.exitCode ?? 0) > 0).toBe(true);
    expect(result.outcome).not.toBe("timeout");
  });

  test("in files", async () => {
    const code =
      "head -c 100M /dev/zero > a; ls -l a | cut -d' ' -f5; for i in $(seq 5000); do : > f$i || break; done 2>/dev/null; ls | wc -l";
    const { stdout } = await bash(code, { memoryBytes: 32 * megabyte });
    const [size = 0, files = 0] = stdout.trim().split("\n").map(Number);
    expect(size).toBeLessThanOrEqual(32 * megabyte);
    expect(files).toBeLessThan(5000);
  });

  test.skipIf(noPython)("in processes", async () => {
    const code =
      "import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(60)\n    n += 1\nexcept OSError: print(n)\n";
    const { stdout } = await python(code, { processes: 10 });
    // Itself and nine more; one more still where the launcher is another user.
    expect([9, 10]).toContain(Number(stdout));
  });

  test("however it forks, and nothing is left of it", async () => {
    const marker = `bomb${process.pid}x${Math.trunc(performance.now())}`;
    const bomb = `b() { bash -c "exec -a ${marker} sleep 60" & b | b & }; b; wait`;
    const { outcome } = await bash(bomb, { processes: 20, timeoutMs: 1500 });
    expect(["timeout", "output-limit", "exited"]).toContain(outcome);
    expect(commandLines().filter((line) => line.includes(marker))).toEqual([]);
    expect(await bash("echo well")).toMatchObject({ stdout: "well\n" });
  });
});

test.skipIf(refusal !== undefined)("a program does not outlive a server that dies by more than its time", async () => {
  const marker = `orphan${process.pid}x${Math.trunc(performance.now())}`;
  const index = new URL("../../src/index.ts", import.meta.url);
  const script = `import { runIsolated } from ${JSON.stringify(index.href)};
    await runIsolated({ code: "exec -a ${marker} sleep 60", language: "bash", timeoutMs: 2000 });`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  const isRunning = () => commandLines().some((line) => line.startsWith(marker));
  await vi.waitUntil(isRunning, { timeout: 10_000, interval: 20 });
  server.kill("SIGKILL");
  await vi.waitUntil(() => !isRunning(), { timeout: 10_000, interval: 50 });
});

/** Of every process of the machine. */
function commandLines(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    });
}

describe("the tools of an agent", () => {
  const on = createSandbox({ isEnabled: true, limits: { timeoutMs: 5000 } });

  test("are off until they are turned on", async () => {
    const off = createSandbox();
    const code = { code: "1", language: "python", allowedLanguages: ["python"] };
    await expect(off.runCode(code)).rejects.toThrow("Command and code tools are turned off on this server");
    await expect(off.runCommand({ command: "ls", allowedCommands: ["ls"] })).rejects.toThrow(SandboxRefusal);
  });

  test.each([
    [{ command: "rm -rf /", allowedCommands: ["ls"] }, "Command 'rm' is not allowed. Allowed: ls"],
    [{ command: "/bin/ls", allowedCommands: ["ls"] }, "Command '/bin/ls' is not allowed. Allowed: ls"],
    [{ command: "", allowedCommands: [] }, "Command '' is not allowed. Allowed: none"],
    [
      { command: "ls; rm x", shell: true, allowedCommands: ["ls"] },
      "Shell commands are not allowed: give the command and its arguments",
    ],
    [
      { command: "ls", shell: true, allowShell: true, allowedCommands: ["ls"] },
      "Command 'bash' is not allowed. Allowed: ls",
    ],
  ])("are refused: %j", async (request, message) => {
    await expect(on.runCommand(request)).rejects.toThrow(new SandboxRefusal(message));
  });

  test("are refused in a language that is not on the list, or that there is none of", async () => {
    const ruby = { code: "1", language: "ruby", allowedLanguages: ["python"] };
    await expect(on.runCode(ruby)).rejects.toThrow("Language 'ruby' is not allowed. Allowed: python");
    await expect(on.runCode({ ...ruby, allowedLanguages: ["ruby"] })).rejects.toThrow(
      "No interpreter for language 'ruby'. Languages: python, bash, node, javascript",
    );
  });

  test.skipIf(refusal !== undefined)("run what is on the list, in a shell only where one is allowed", async () => {
    const allowedCommands = ["echo", "bash"];
    expect(await on.runCommand({ command: 'echo "a b" $X', allowedCommands })).toMatchObject({ stdout: "a b $X\n" });
    expect(await on.runCommand({ command: "echo", args: ["-n", "c d"], allowedCommands })).toMatchObject({
      stdout: "c d",
    });
    const line = { command: "echo $((1 + 1)) | cat", shell: true, allowShell: true, allowedCommands };
    expect(await on.runCommand(line)).toMatchObject({ stdout: "2\n" });
    expect(await on.runCode({ code: "echo hi", language: "Bash", allowedLanguages: ["bash"] })).toMatchObject({
      stdout: "hi\n",
    });
  });
});
