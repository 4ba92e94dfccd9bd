import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AiTask } from "../ai-task.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";

const MOST_FILES = 10_000;

/** LIST_FILES: the files under a folder that documents may be read from, by their extensions. */
export const listFiles: AiTask = {
  type: "LIST_FILES",
  async run({ input: from, signal }, { documents }) {
    const location = input.word(from, "inputLocation");
    if (location === undefined) throw new TerminalError("Missing required input parameter 'inputLocation'");
    if (/^https?:/i.test(location)) {
      throw new TerminalError(
        `Expected inputLocation to be a folder, got "${location}": the web has no lists of files`,
      );
    }
    const folder = await documents.checkPath(location);
    const wanted = readTypes(from["fileTypes"]);
    const found: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      signal.throwIfAborted();
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !isWanted(entry.name, wanted)) continue;
      if (found.length === MOST_FILES)
        throw new TerminalError(`Expected at most ${MOST_FILES} files under ${folder}, found more`);
      if (await isAllowed(path, documents.checkPath)) found.push(pathToFileURL(path).href);
    }
    return completed({ result: found.toSorted() });
  },
};

/** `pdf`, `.pdf`, `*.pdf`; a list, or a text with commas. */
function readTypes(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  return items
    .map((item) =>
      String(item)
        .trim()
        .toLowerCase()
        .replace(/^\*?\.?/, ""),
    )
    .filter((item) => item !== "");
}

const isWanted = (name: string, types: readonly string[]): boolean =>
  types.length === 0 || types.some((type) => name.toLowerCase().endsWith(`.${type}`));

/** What a task may not read, it does not hear of. */
async function isAllowed(path: string, check: (path: string) => Promise<string>): Promise<boolean> {
  try {
    await check(path);
    return true;
  } catch {
    return false;
  }
}
