import { usePreferences } from "../../app/preferences.ts";
import { formatTime } from "../../lib/format.ts";

type Month = { readonly key: string; readonly days: ReadonlyMap<number, readonly string[]> };

const MOST_MONTHS = 3;

/** The days on which something is to happen, a small calendar for each month. */
export function SlotCalendar({ slots }: { readonly slots: readonly number[] }) {
  const { timeZone } = usePreferences();
  const months = toMonths(slots.map((at) => formatTime(at, timeZone)));
  return (
    <div className="flex flex-wrap items-start gap-6 p-4">
      {months.slice(0, MOST_MONTHS).map((month) => (
        <MonthTable key={month.key} month={month} />
      ))}
    </div>
  );
}

/** From texts like "2026-11-15 10:42:07". */
function toMonths(times: readonly string[]): readonly Month[] {
  const byMonth = Map.groupBy(times, (time) => time.slice(0, 7));
  return [...byMonth].map(([key, inMonth]) => ({
    key,
    days: Map.groupBy(
      inMonth.map((time) => time.slice(8)),
      (rest) => Number(rest.slice(0, 2)),
    ),
  }));
}

const weekdays = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

function MonthTable({ month: { key, days } }: { readonly month: Month }) {
  const first = new Date(`${key}-01T00:00:00Z`);
  const title = first.toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
  return (
    <table className="text-center text-xs tabular-nums">
      <caption className="pb-1.5 text-left text-sm font-medium">{title}</caption>
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} className="size-7 font-medium text-faint">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(first).map((week) => (
          <tr key={week.join()}>
            {week.map((day) => (
              <Day key={day} day={day} times={days.get(day) ?? []} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, times }: { readonly day: number; readonly times: readonly string[] }) {
  if (day < 1) return <td />;
  const clock = times.map((time) => time.slice(3)).join(", ");
  return (
    <td className="p-0.5">
      <span
        className={`inline-flex size-6 items-center justify-center rounded-full ${times.length > 0 ? "bg-accent font-semibold text-on-accent" : "text-soft"}`}
        {...(times.length > 0 ? { title: clock } : {})}
      >
        {day}
        {times.length > 0 && <span className="sr-only">: {clock}</span>}
      </span>
    </td>
  );
}

/** Days by week, Monday first; what is before the first and after the last is 0 and less, each its own number. */
function weeksOf(first: Date): readonly (readonly number[])[] {
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const before = (first.getUTCDay() + 6) % 7;
  const cells = Array.from({ length: Math.ceil((before + length) / 7) * 7 }, (_, i) => {
    const day = i - before + 1;
    return day > length ? length - day - 7 : day;
  });
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
