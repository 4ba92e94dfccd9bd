export type Exception = {
  readonly group: string;
  readonly name: string;
  /** `status`, `contentType`, or a path into the body; what lies under it is covered too. */
  readonly at: string;
  /** The rule that says otherwise, or `pending: ` and what is still to be built. */
  readonly why: string;
};

export type GoldenRecord = { readonly name: string } & Readonly<Record<string, unknown>>;

export type Difference = { readonly at: string; readonly recorded: unknown; readonly ours: unknown };

const REQUEST = /^(name|method|path|request.*|script|query|input|definition|note)$/;
const TIMING = new Set(["queueWaitTime", "executionTime", "pollCount"]);
const LATE = /timed out after \d+ seconds/g;
/** A message that only names classes of the recorded server: any text of ours will do. */
const INTERNAL = /\b(com\.netflix|org\.springframework|java\.(lang|util)|jakarta\.|com\.fasterxml)/;

/** Where two records of the same name differ, apart from what differs between two runs of the same server. */
export function compare(recorded: GoldenRecord, ours: GoldenRecord | undefined): Difference[] {
  if (ours === undefined) return [{ at: "record", recorded: "recorded", ours: "missing" }];
  const found: Difference[] = [];
  for (const part of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
    if (!REQUEST.test(part)) collect(recorded[part], ours[part], part, found);
  }
  return found.filter((difference) => !repeatsStatus(difference, recorded, ours));
}

export function isCovered({ at }: Difference, exception: Exception): boolean {
  return at === exception.at || at.startsWith(`${exception.at}.`) || at.startsWith(`${exception.at}[`);
}

export const show = (group: string, name: string, { at, recorded, ours }: Difference): string =>
  `${group} | ${name} | ${at} | recorded ${brief(recorded)} | ours ${brief(ours)}`;

/** An error body says its status a second time. */
function repeatsStatus({ at, recorded, ours }: Difference, gold: GoldenRecord, own: GoldenRecord): boolean {
  return at === "responseBody.status" && recorded === gold["status"] && ours === own["status"];
}

function collect(recorded: unknown, ours: unknown, at: string, out: Difference[]): void {
  if (Object.is(recorded, ours)) return;
  const key = at.slice(at.lastIndexOf(".") + 1);
  if (TIMING.has(key) && recorded !== undefined && ours !== undefined) return;
  if (typeof recorded === "string" && typeof ours === "string" && isSameText(recorded, ours)) return;
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    const isUnordered = key === "validationErrors";
    collectItems(isUnordered ? sorted(recorded) : recorded, isUnordered ? sorted(ours) : ours, at, out);
  } else if (isObject(recorded) && isObject(ours)) {
    for (const member of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
      collect(recorded[member], ours[member], `${at}.${member}`, out);
    }
  } else out.push({ at, recorded, ours });
}

function collectItems(recorded: readonly unknown[], ours: readonly unknown[], at: string, out: Difference[]): void {
  if (recorded.length !== ours.length) out.push({ at: `${at}.length`, recorded: recorded.length, ours: ours.length });
  for (let i = 0; i < Math.min(recorded.length, ours.length); i++) collect(recorded[i], ours[i], `${at}[${i}]`, out);
}

const isSameText = (recorded: string, ours: string): boolean =>
  INTERNAL.test(recorded) || recorded.replace(LATE, "") === ours.replace(LATE, "");

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Validation errors come in no particular order. */
const sorted = (errors: readonly unknown[]): unknown[] =>
  errors.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
