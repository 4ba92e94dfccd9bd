// Makes a clone ready to run: installs the dependencies when they are missing or out of date and checks that npm's
// scripts will find Node 24. It runs before the main script, on whatever Node the machine has (20 or newer), so it
// is plain JavaScript without dependencies. It has to be a `pre` script: within one script the shell has already
// looked `node` up before the set-up puts Node 24 into node_modules/.bin. And it is started with the Node that runs
// npm, not the one in node_modules/.bin, which it may have to remove.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const requiredMajor = 24;
const windows = process.platform === "win32";
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".downbeat-setup");
const webApp = join(root, "packages", "ui");
const localNode = join(modules, ".bin", windows ? "node.cmd" : "node");

if (!isInstalled()) {
  install();
  dropBrokenLocalNode();
  // Taken now, not before: npm install may have completed the lock file.
  writeFileSync(stampFile, currentStamp());
}
if (!existsSync(localNode) && majorOf(process.version) < requiredMajor) {
  process.stderr.write(`${whatToInstall()}\n`);
  process.exit(1);
}

if (process.env.DOWNBEAT_SKIP_UI_BUILD !== "1" && isWebAppOld()) {
  buildWebApp();
}

/** The web app is built when something it is made of is newer than what was built. */
function isWebAppOld() {
  const built = statSync(join(webApp, "dist", "index.html"), { throwIfNoEntry: false });
  if (built === undefined) return existsSync(webApp);
  const isNewer = (/** @type {string} */ path) =>
    (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > built.mtimeMs;
  const sources = ["src", "public"].flatMap((folder) =>
    readdirSync(join(webApp, folder), { recursive: true }).map((name) => join(webApp, folder, String(name))),
  );
  return [...sources, join(webApp, "index.html"), join(webApp, "vite.config.ts"), stampFile].some(isNewer);
}

/** A server without its web app is still a server: a failed build is told, and is no reason not to start. */
function buildWebApp() {
  process.stderr.write("Building the web app\n");
  const node = existsSync(localNode) ? localNode : process.execPath;
  const vite = join(modules, "vite", "bin", "vite.js");
  const result = spawnSync(node, [vite, "build", "--logLevel", "warn", webApp], { encoding: "utf8", shell: windows });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n`);
    process.stderr.write(`Expected the web app to build, got ${describeEnd(result)}; going on without it\n`);
  }
}

/** What the installed tree was made from: the lock file, and the machine, because the tree holds its binaries. */
function currentStamp() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  const lock = join(root, "package-lock.json");
  if (existsSync(lock)) {
    hash.update(readFileSync(lock));
  }
  return hash.digest("hex");
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === currentStamp();
}

function install() {
  // npm writes this file last, so a tree without it is missing or half made and is replaced. A whole tree of an older
  // lock file is brought up to date in place, which is faster and leaves running processes their files.
  const isWhole = existsSync(join(modules, ".package-lock.json"));
  const isLocked = existsSync(join(root, "package-lock.json"));
  const command = isWhole || !isLocked ? "install" : "ci";
  process.stderr.write(`Installing dependencies (npm ${command})\n`);
  const args = [command, "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = runNpm(args);
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n`);
    process.stderr.write(`Expected npm ${command} to succeed, got ${describeEnd(result)}\n`);
    process.exit(1);
  }
}

/** @param {string[]} args */
function runNpm(args) {
  // Through the npm that is running us where there is one, so that the same npm does the set-up.
  const npm = process.env.npm_execpath;
  /** @type {import("node:child_process").SpawnSyncOptionsWithStringEncoding} */
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
  if (npm?.endsWith("npm-cli.js")) {
    return spawnSync(process.execPath, [npm, ...args], options);
  }
  return spawnSync("npm", args, { ...options, shell: windows });
}

/** @param {import("node:child_process").SpawnSyncReturns<string>} result */
function describeEnd(result) {
  if (result.signal) {
    return `signal ${result.signal}`;
  }
  return result.error ? `"${result.error.message}"` : `exit code ${result.status}`;
}

/**
 * Where Node 24 from npm does not run (musl has no fitting package, but gets the one for glibc), its link would hide
 * the machine's own Node from npm's scripts.
 */
function dropBrokenLocalNode() {
  if (!existsSync(localNode)) {
    return;
  }
  const result = spawnSync(localNode, ["--version"], { encoding: "utf8", shell: windows });
  if (result.status !== 0 || majorOf(result.stdout) < requiredMajor) {
    rmSync(localNode);
  }
}

/** @param {string} version such as "v24.21.0" */
function majorOf(version) {
  return Number.parseInt(version.trim().replace(/^v/, ""), 10);
}

function whatToInstall() {
  return [
    `Downbeat needs Node ${requiredMajor} or newer, got ${process.version} on ${process.platform} ${process.arch}.`,
    `No Node ${requiredMajor} that runs on this machine comes with the dependencies. Install it in one of these ways and try again:`,
    `  - from https://nodejs.org/en/download (Node ${requiredMajor} LTS)`,
    `  - with a version manager: nvm install ${requiredMajor}, fnm install ${requiredMajor}, volta install node@${requiredMajor}`,
    `  - in a container: node:${requiredMajor} or node:${requiredMajor}-alpine`,
  ].join("\n");
}
