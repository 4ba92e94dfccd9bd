import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A place where we differ from what was recorded on purpose. */
export type Deviation = {
  readonly fixture: string;
  /** The path of the one value that differs. */
  readonly at: string;
  /** The rule that says so. */
  readonly why: string;
};

export type Difference = { readonly at: string; readonly recorded: unknown; readonly ours: unknown };

const root = fileURLToPath(new URL("../../../../../shared/fixtures/agents/", import.meta.url));

/** False where the specification is not at hand: the tests say so and have nothing to compare with. */
export const hasFixtures = existsSync(root);

export function readFixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, `${name}.json`), "utf8"));
}

export function listFixtures(folder: string): readonly string[] {
  return globSync("*.json", { cwd: join(root, folder) })
    .map((file) => basename(file, ".json"))
    .filter((name) => !name.startsWith("_"))
    .sort();
}

/** Differences that no deviation explains, and deviations that explain nothing, as lines to read. */
export function judge(name: string, found: readonly Difference[], deviations: readonly Deviation[]): readonly string[] {
  const own = deviations.filter(({ fixture }) => fixture === name);
  const differs = found
    .filter(({ at }) => !own.some((deviation) => deviation.at === at))
    .map(({ at, recorded, ours }) => `${at}: recorded ${brief(recorded)}, ours ${brief(ours)}`);
  const idle = own
    .filter(({ at }) => !found.some((difference) => difference.at === at))
    .map(({ at }) => `${at}: a deviation is listed, and there is none`);
  return [...differs, ...idle];
}

/**
 * Where ours differs from what was recorded. The recording masks scripts and texts of the reference's own: a mask stands
 * for any text, a text's mask for one with the same expressions in it, in this order.
 */
export function compare(recorded: unknown, ours: unknown, at = ""): readonly Difference[] {
  if (Object.is(recorded, ours) || fitsMask(recorded, ours)) return [];
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    const length = Math.max(recorded.length, ours.length);
    return Array.from({ length }, (_, i) => compare(recorded[i], ours[i], `${at}[${i}]`)).flat();
  }
  if (isObject(recorded) && isObject(ours)) {
    const members = new Set([...Object.keys(recorded), ...Object.keys(ours)]);
    return [...members].flatMap((name) => compare(recorded[name], ours[name], at === "" ? name : `${at}.${name}`));
  }
  return [{ at, recorded, ours }];
}

function fitsMask(recorded: unknown, ours: unknown): boolean {
  if (typeof recorded !== "string" || typeof ours !== "string" || ours === "") return false;
  if (recorded === "<script>" || recorded === "<condition>") return true;
  return recorded.startsWith("<text>") && expressions(recorded).join() === expressions(ours).join();
}

const expressions = (text: string): readonly string[] => text.match(/(?<!\$)\$\{[^}]*\}/g) ?? [];

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 200 ? `${text.slice(0, 197)}...` : text;
}
