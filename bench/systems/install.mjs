import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemsRoot } from "./process.mjs";

/**
 * Packages from npm in a folder of their own, installed on first use with the machine's npm settings. Install scripts
 * are not run.
 */
export function installPackages(name, packages) {
  const folder = join(systemsRoot, name);
  if (packages.every((each) => isInstalled(folder, each))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  process.stderr.write(`Installing ${packages.join(" and ")}\n`);
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", ...packages], folder);
  return folder;
}

/** A package of such a folder, imported. */
export const importFrom = (folder, name) =>
  import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);

/**
 * A Maven artifact, `group:artifact:version:packaging:classifier`, fetched on first use: with mvn and the user's own
 * settings, or without mvn from the repository whose address MAVEN_REPOSITORY_URL holds.
 */
export async function installArtifact(name, artifact) {
  const [group, id, version, packaging, classifier] = artifact.split(":");
  const folder = join(systemsRoot, name);
  const file = `${id}-${version}-${classifier}.${packaging}`;
  const path = join(folder, file);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`Fetching ${file}\n`);
  if (spawnSync("mvn", ["--version"]).status === 0) {
    run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], folder);
    return path;
  }
  const repository = process.env.MAVEN_REPOSITORY_URL;
  if (repository === undefined) throw new Error("neither mvn nor MAVEN_REPOSITORY_URL is there to fetch it with");
  const answer = await fetch([repository, group.replaceAll(".", "/"), id, version, file].join("/"));
  if (!answer.ok) throw new Error(`the Maven repository answered ${answer.status} for ${file}`);
  writeFileSync(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}

/** A Java that is at least so new: of JAVA_HOME, of the path, or one installed in the usual place. */
export function findJava(leastVersion) {
  const installed = "/usr/lib/jvm";
  const homes = existsSync(installed) ? readdirSync(installed).map((each) => join(installed, each)) : [];
  if (process.env.JAVA_HOME) homes.unshift(process.env.JAVA_HOME);
  const found = ["java", ...homes.map((home) => join(home, "bin", "java"))].find((java) => {
    const { stderr } = spawnSync(java, ["-version"], { encoding: "utf8" });
    return Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0) >= leastVersion;
  });
  if (found === undefined) throw new Error(`no Java ${leastVersion} or newer was found (set JAVA_HOME)`);
  return found;
}

/** Whether a folder has a package, named as `name@version`. */
function isInstalled(folder, spec) {
  const at = spec.lastIndexOf("@");
  const description = join(folder, "node_modules", spec.slice(0, at), "package.json");
  return existsSync(description) && JSON.parse(readFileSync(description, "utf8")).version === spec.slice(at + 1);
}

function run(command, args, cwd) {
  const { status, stderr, stdout, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  // The line goes into the report, where addresses of this machine's registries have no place.
  const said =
    `${stderr ?? ""}\n${stdout ?? ""}`.split("\n").find((line) => /error/i.test(line)) ?? `exit code ${status}`;
  const reason = error?.message ?? said.replaceAll(/\w+:\/\/\S+/g, "...").trim();
  throw new Error(`${command} ${args[0]} failed: ${reason}`);
}
