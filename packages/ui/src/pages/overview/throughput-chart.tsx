import "uplot/dist/uPlot.min.css";
import { useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import type { Minute } from "../../api/overview.ts";
import { useIsDark, usePreferences } from "../../app/preferences.ts";
import { formatTime } from "../../lib/format.ts";

const HEIGHT = 200;

const series = [
  { name: "started", label: "Started", colour: "--accent" },
  { name: "completed", label: "Completed", colour: "--good" },
  { name: "failed", label: "Failed", colour: "--bad" },
] as const;

/** What began, completed and failed, minute by minute. */
export function ThroughputChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const isDark = useIsDark();
  const { timeZone } = usePreferences();
  const data = useMemo(
    (): uPlot.AlignedData => [
      minutes.map(({ at }) => at / 1000),
      ...series.map(({ name }) => minutes.map((minute) => minute[name])),
    ],
    [minutes],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: in the other theme the colours are others
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(options(element.clientWidth, timeZone), undefined, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [isDark, timeZone]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart that was made anew needs its data
  useEffect(() => plot.current?.setData(data), [data, isDark, timeZone]);

  return (
    <figure className="p-3">
      <figcaption className="mb-2 flex gap-4 text-xs text-soft">
        {series.map(({ name, label, colour }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span className="h-0.5 w-4 rounded" style={{ background: `var(${colour})` }} />
            {label} <b className="font-semibold text-ink tabular-nums">{minutes.at(-1)?.[name] ?? 0}</b>
          </span>
        ))}
        <span className="ml-auto text-faint">this minute</span>
      </figcaption>
      <div ref={place} style={{ height: HEIGHT }} />
    </figure>
  );
}

function options(width: number, timeZone: string): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--ink-faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "11px Inter, system-ui, sans-serif",
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [8, 8, 0, 0],
    scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.15)] } },
    axes: [
      { ...axis, size: 28, values: (_plot, at) => at.map((one) => formatTime(one * 1000, timeZone).slice(11, 16)) },
      {
        ...axis,
        size: 44,
        values: (_plot, values) => values.map((value) => (Number.isInteger(value) ? String(value) : "")),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour: name }, i) => ({
        label,
        stroke: colour(name),
        width: 1.75,
        points: { show: false },
        ...(i === 0 ? { fill: `${colour(name)}14` } : {}),
      })),
    ],
  };
}
