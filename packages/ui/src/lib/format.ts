/** 1,234 */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** 1.2k, 3.4M: where there is no room. */
export function formatShort(count: number): string {
  if (count < 10_000) return formatCount(count);
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** 340 ms, 1.2 s, 4 min 10 s, 3 h 5 min, 2 d 4 h */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, "min", Math.floor(seconds % 60), "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return pair(hours, "h", minutes % 60, "min");
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

const pair = (major: number, majorUnit: string, minor: number, minorUnit: string): string =>
  minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;

/** "5 s ago"; "in 2 min" for what is to come. */
export function formatAgo(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 1000) return "now";
  const rough = formatDuration(Math.abs(ms)).split(" ").slice(0, 2).join(" ").replace(/\.\d/, "");
  return ms > 0 ? `${rough} ago` : `in ${rough}`;
}

/** 2026-11-15 10:42:07.123, in a zone ("local" for the browser's). */
export function formatTime(at: number, timeZone: string, { withMs = false, withDate = true } = {}): string {
  if (!at) return "–";
  const parts: Record<string, string> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(at)) parts[type] = value;
  const time = `${parts["hour"]}:${parts["minute"]}:${parts["second"]}`;
  const exact = withMs ? `${time}.${String(at % 1000).padStart(3, "0")}` : time;
  return withDate ? `${parts["year"]}-${parts["month"]}-${parts["day"]} ${exact}` : exact;
}

/** The zone's short name at a moment: CET, GMT+2, UTC. */
export function zoneName(timeZone: string, at: number): string {
  const parts = formatterOf(timeZone).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Kept: making one takes longer than using it a thousand times. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-GB", {
      ...zoneOption(timeZone),
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

const zoneOption = (timeZone: string): { timeZone?: string } => (timeZone === "local" ? {} : { timeZone });

/** 512 B, 3.4 KB, 12 MB */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** $12.30, $0.042, $0.0000018: two digits that say something, however small. */
export function formatDollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount < 1e-9) return "less than $0.000000001";
  const decimals = amount >= 0.1 ? 2 : Math.ceil(-Math.log10(amount)) + 1;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`;
}
