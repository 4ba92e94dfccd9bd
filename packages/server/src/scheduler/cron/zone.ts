import { fixedOffsetMs } from "./fixed-offset.ts";

/** A span of time in which a zone keeps one offset from UTC. It may end although the next one has the same offset. */
export interface Stretch {
  readonly offsetMs: number;
  /** The first instant that no longer belongs to it. */
  readonly until: number;
}

/** A time zone, seen as stretches of constant offset. */
export interface Zone {
  stretchAt(instant: number): Stretch;
}

/** Whether a name is an IANA zone or a fixed offset such as `Z`, `+05:30` or `UTC+2`. */
export function isZone(zone: string): boolean {
  return lookUpZone(zone) !== undefined;
}

/** The zone of that name. Throws RangeError when there is none. */
export function findZone(name: string): Zone {
  const zone = lookUpZone(name);
  if (zone === undefined) {
    throw new RangeError(`Unknown time-zone ID: ${name}`);
  }
  return zone;
}

/**
 * The IANA zones asked for so far; only lookUpZone touches it. Intl takes names in any case, so they are kept in one
 * case: the map cannot outgrow the number of zones.
 */
const regions = new Map<string, Zone>();

function lookUpZone(name: string): Zone | undefined {
  const key = name.toLowerCase();
  const known = regions.get(key);
  if (known !== undefined) {
    return known;
  }
  const fixed = fixedOffsetMs(name);
  if (fixed !== undefined) {
    return { stretchAt: () => ({ offsetMs: fixed, until: Number.POSITIVE_INFINITY }) };
  }
  // Intl takes offsets too, but more of them than Java does: one that got here is none of ours.
  const format = /^[+-]/.test(name) ? undefined : findFormat(name);
  if (format === undefined) {
    return undefined;
  }
  const zone = regionZone(format);
  regions.set(key, zone);
  return zone;
}

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    // Asking for a format is the only way to learn whether Intl knows a zone.
    return undefined;
  }
}

const secondMs = 1000;
/** Stretches are found a period (398 days) at a time, when an instant of it is first asked for. */
const periodMs = 2 ** 35;
/** How far apart offsets are compared: 6.2 days, less than the shortest summer time since 1970 (7 days less an hour). */
const stepMs = 2 ** 29;
/** What a zone remembers of any time anyone asked for; beyond it, it starts afresh. */
const maxPeriods = 400;

function regionZone(format: Intl.DateTimeFormat): Zone {
  const periods = new Map<number, readonly Stretch[]>();
  return {
    stretchAt(instant) {
      const period = Math.floor(instant / periodMs);
      let stretches = periods.get(period);
      if (stretches === undefined) {
        if (periods.size >= maxPeriods) {
          periods.clear();
        }
        stretches = findStretches(format, period * periodMs);
        periods.set(period, stretches);
      }
      return stretchOf(stretches, instant);
    },
  };
}

function stretchOf(stretches: readonly Stretch[], instant: number): Stretch {
  for (const stretch of stretches) {
    if (instant < stretch.until) {
      return stretch;
    }
  }
  throw new RangeError(`Expected an instant within the period, got ${instant}`);
}

function findStretches(format: Intl.DateTimeFormat, start: number): Stretch[] {
  const end = start + periodMs;
  const stretches: Stretch[] = [];
  let offsetMs = offsetAt(format, start);
  for (let at = start; at < end; at += stepMs) {
    const laterOffsetMs = offsetAt(format, at + stepMs);
    if (laterOffsetMs !== offsetMs) {
      stretches.push({ offsetMs, until: findChange(format, at, laterOffsetMs) });
      offsetMs = laterOffsetMs;
    }
  }
  stretches.push({ offsetMs, until: end });
  return stretches;
}

/** The instant, a whole second, at which the offset becomes the one at the end of the step. */
function findChange(format: Intl.DateTimeFormat, stepStart: number, laterOffsetMs: number): number {
  let before = Math.floor(stepStart / secondMs);
  let changed = Math.floor((stepStart + stepMs) / secondMs);
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (offsetAt(format, middle * secondMs) === laterOffsetMs) {
      changed = middle;
    } else {
      before = middle;
    }
  }
  return changed * secondMs;
}

function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  // Reads like `3/29/2026, GMT+01:00`.
  const text = format.format(instant);
  const offsetMs = fixedOffsetMs(text.slice(text.lastIndexOf(" ") + 1));
  if (offsetMs === undefined) {
    throw new Error(`Expected a date that ends in an offset from GMT, got "${text}"`);
  }
  return offsetMs;
}
