/** A span of time and the pixels it is drawn on. */
export type Scale = { readonly from: number; readonly to: number; readonly widthPx: number };

export const toX = ({ from, to, widthPx }: Scale, at: number): number => ((at - from) / (to - from)) * widthPx;
export const toTime = ({ from, to, widthPx }: Scale, x: number): number => from + (x / widthPx) * (to - from);

const LEAST_SPAN_MS = 2;

/** Zooms by a factor (below 1: closer) around a moment, never out of `whole`. */
export function zoom(scale: Scale, factor: number, around: number, whole: Scale): Scale {
  const span = Math.min(whole.to - whole.from, Math.max(LEAST_SPAN_MS, (scale.to - scale.from) * factor));
  const share = (around - scale.from) / (scale.to - scale.from);
  return clamp({ ...scale, from: around - share * span, to: around + (1 - share) * span }, whole);
}

export function pan(scale: Scale, byMs: number, whole: Scale): Scale {
  return clamp({ ...scale, from: scale.from + byMs, to: scale.to + byMs }, whole);
}

function clamp(scale: Scale, whole: Scale): Scale {
  const span = scale.to - scale.from;
  const from = Math.min(Math.max(scale.from, whole.from), whole.to - span);
  return { ...scale, from, to: from + span };
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1.8e6, 3.6e6,
  7.2e6, 14.4e6, 28.8e6, 86.4e6,
];

/** Round moments for an axis, about `gapPx` apart. */
export function ticks(scale: Scale, origin: number, gapPx = 110): readonly number[] {
  const span = scale.to - scale.from;
  const wanted = (span / scale.widthPx) * gapPx;
  const step = steps.find((one) => one >= wanted) ?? Math.ceil(wanted / 86.4e6) * 86.4e6;
  const found: number[] = [];
  for (let at = origin + Math.ceil((scale.from - origin) / step) * step; at <= scale.to; at += step) found.push(at);
  return found;
}
