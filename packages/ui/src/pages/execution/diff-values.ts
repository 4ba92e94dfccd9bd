export type Difference = { readonly at: string; readonly before: string; readonly after: string };

const MOST = 200;
const MOST_TEXT = 300;

/** Where two values differ, down to their leaves, by path. */
export function diffValues(before: unknown, after: unknown, at = ""): readonly Difference[] {
  if (Object.is(before, after)) return [];
  if (!isObject(before) || !isObject(after)) {
    const difference = { at: at || "value", before: show(before), after: show(after) };
    return difference.before === difference.after ? [] : [difference];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differences: Difference[] = [];
  for (const key of keys) {
    differences.push(...diffValues(before[key], after[key], at === "" ? key : `${at}.${key}`));
    if (differences.length >= MOST) break;
  }
  return differences;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const show = (value: unknown): string => (value === undefined ? "–" : JSON.stringify(value).slice(0, MOST_TEXT));
