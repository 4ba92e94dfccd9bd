import { realpath } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { addressKind, type Config, type FetchRules, hostOf } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { blockedFileNames, blockedFolders, blockedHosts, blockedPathPrefixes } from "./blocked.ts";

/** Which documents tasks may read and write, on this machine and elsewhere. */
export type AccessPolicy = {
  /** The path a location stands for; throws when it may not be touched, through links too. */
  readonly checkPath: (location: string) => Promise<string>;
  /** For the fetch that loads documents. */
  readonly rules: FetchRules;
};

/** `folder` is where generated files go: what tasks made, tasks may read. */
export function createAccessPolicy(config: Config, folder: string): AccessPolicy {
  const isDisabled = config["service.document-access-policy.disabled"];
  const directories = [folder, ...config["service.document-access-policy.allowed-directories"]].map((one) =>
    resolve(one),
  );
  const prefixes = [...blockedPathPrefixes, ...config["service.document-access-policy.blocked-path-prefixes"]];
  const fileNames = new Set(
    [...blockedFileNames, ...config["service.document-access-policy.blocked-file-names"]].map((name) =>
      name.toLowerCase(),
    ),
  );
  const hosts = new Set(
    [...blockedHosts, ...config["service.document-access-policy.blocked-hosts"]].map((host) => host.toLowerCase()),
  );

  function refusePath(path: string, isTraversal: boolean): string | undefined {
    const prefix = prefixes.find((one) => isUnder(path.toLowerCase(), one.toLowerCase())) ?? blockedFolderOf(path);
    if (prefix !== undefined) return `path matches blocked prefix '${prefix}'`;
    const name = basename(path);
    if (fileNames.has(name.toLowerCase())) return `file name '${name}' is blocked`;
    if (isTraversal) return "path traversal sequences are not allowed";
    if (directories.some((directory) => isUnder(path, directory))) return;
    return `path is not under any allowed directory. Allowed directories: [${directories.join(", ")}]`;
  }

  return {
    async checkPath(location) {
      const written = pathOf(location);
      const path = resolve(written);
      if (isDisabled) return path;
      const isTraversal = written.split(/[/\\]/).includes("..");
      // What a link leads to counts as much as what was written.
      for (const one of new Set([path, await realPathOf(path)])) {
        const reason = refusePath(one, isTraversal);
        if (reason !== undefined) throw new TerminalError(`Access denied: ${reason}`);
      }
      return path;
    },
    rules: {
      refuseUrl(url) {
        if (isDisabled) return;
        const name = decode(basename(url.pathname));
        if (fileNames.has(name.toLowerCase())) return `file name '${name}' is blocked`;
        const host = hostOf(url).replace(/\.$/, "").toLowerCase();
        return hosts.has(host) ? `host '${host}' is blocked` : undefined;
      },
      refuse({ address }) {
        if (isDisabled) return;
        switch (addressKind(address)) {
          case "loopback":
            return `loopback address is blocked (host resolves to ${address})`;
          case "link-local":
            return `link-local address range is blocked (host resolves to ${address})`;
          default:
            return;
        }
      },
    },
  };
}

function pathOf(location: string): string {
  if (!/^file:/i.test(location)) return location;
  try {
    return fileURLToPath(location);
  } catch (error) {
    throw new TerminalError(`Expected a file URL of this machine, got "${location}"`, { cause: error });
  }
}

const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

function blockedFolderOf(path: string): string | undefined {
  const parts = path.toLowerCase().split(/[/\\]/);
  return parts.find((part, at) => blockedFolders.has(part) || blockedFolders.has(`${part}/${parts[at + 1]}`));
}

/** Of a file that is not there yet, that of its nearest folder that is. */
async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = resolve(at, "..")) {
    try {
      return resolve(await realpath(at), ...missing);
    } catch {
      // Not there, or not to be looked into: its folder then.
      if (at === resolve(at, "..")) return path;
      missing.unshift(basename(at));
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the text stands for itself.
    return text;
  }
}
