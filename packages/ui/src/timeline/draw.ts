import type { TaskState } from "../api/types.ts";
import { formatDuration } from "../lib/format.ts";
import { isTaskOpen, type Tone, toneOf } from "../lib/status.ts";
import { type Scale, ticks, toX } from "./scale.ts";

export const ROW_HEIGHT = 22;
export const AXIS_HEIGHT = 26;
export const NAMES_WIDTH = 220;

export type Picture = {
  readonly tasks: readonly TaskState[];
  readonly scale: Scale;
  readonly origin: number;
  readonly scrollTop: number;
  readonly heightPx: number;
  readonly now: number;
  readonly chosen: string | undefined;
  readonly hovered: number | undefined;
  readonly palette: Palette;
};

export type Palette = Readonly<Record<Tone | "ink" | "faint" | "line" | "surface" | "hover" | "selected", string>>;

/** The theme's colours: a canvas cannot read CSS variables. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    running: read("running"),
    good: read("good"),
    bad: read("bad"),
    late: read("late"),
    held: read("held"),
    stopped: read("stopped"),
    quiet: read("quiet"),
    ink: read("ink"),
    faint: read("ink-faint"),
    line: read("line"),
    surface: read("surface"),
    hover: read("surface-hover"),
    selected: read("surface-selected"),
  };
}

const FONT = "12px Inter, system-ui, sans-serif";

/** Draws the rows in sight, and nothing else: ten thousand spans cost what fifty do. */
export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { tasks, scale, scrollTop, heightPx, palette } = picture;
  const width = NAMES_WIDTH + scale.widthPx;
  context.clearRect(0, 0, width, heightPx);
  context.font = FONT;
  context.textBaseline = "middle";
  drawGrid(context, picture);
  const first = Math.floor(scrollTop / ROW_HEIGHT);
  const last = Math.min(tasks.length - 1, Math.ceil((scrollTop + heightPx - AXIS_HEIGHT) / ROW_HEIGHT));
  for (let i = first; i <= last; i += 1) {
    const task = tasks[i];
    if (task !== undefined) drawRow(context, picture, task, i);
  }
  drawAxis(context, picture);
  context.fillStyle = palette.line;
  context.fillRect(NAMES_WIDTH, 0, 1, heightPx);
}

function drawGrid(context: CanvasRenderingContext2D, { scale, origin, heightPx, palette }: Picture): void {
  context.fillStyle = palette.line;
  for (const at of ticks(scale, origin)) {
    context.fillRect(Math.round(NAMES_WIDTH + toX(scale, at)), AXIS_HEIGHT, 1, heightPx);
  }
}

function drawRow(context: CanvasRenderingContext2D, picture: Picture, task: TaskState, i: number): void {
  const { scale, scrollTop, now, chosen, hovered, palette } = picture;
  const y = AXIS_HEIGHT + i * ROW_HEIGHT - scrollTop;
  const middle = y + ROW_HEIGHT / 2;
  if (task.taskId === chosen || i === hovered) {
    context.globalAlpha = 0.6;
    context.fillStyle = task.taskId === chosen ? palette.selected : palette.hover;
    context.fillRect(0, y, NAMES_WIDTH + scale.widthPx, ROW_HEIGHT);
    context.globalAlpha = 1;
  }
  const colour = palette[toneOf(task.status)];
  context.fillStyle = colour;
  context.beginPath();
  context.arc(14, middle, 3.5, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = palette.ink;
  context.fillText(shorten(task.referenceTaskName), 26, middle);

  const end = isTaskOpen(task.status) ? now : task.endTime || task.updateTime;
  const start = task.startTime || end;
  context.save();
  context.beginPath();
  context.rect(NAMES_WIDTH + 1, y, scale.widthPx, ROW_HEIGHT);
  context.clip();
  // Waiting is pale, running is full.
  context.globalAlpha = 0.3;
  bar(context, scale, task.scheduledTime, start, y, colour);
  context.globalAlpha = 1;
  if (task.startTime > 0) bar(context, scale, start, end, y, colour);
  const right = NAMES_WIDTH + Math.max(toX(scale, end), toX(scale, task.scheduledTime)) + 6;
  context.fillStyle = palette.faint;
  context.fillText(formatDuration(end - (task.startTime || task.scheduledTime)), right, middle);
  context.restore();
}

const LEAST_WIDTH = 2;

function bar(
  context: CanvasRenderingContext2D,
  scale: Scale,
  from: number,
  to: number,
  y: number,
  colour: string,
): void {
  if (to < from || (to === from && from === 0)) return;
  const left = NAMES_WIDTH + toX(scale, from);
  const right = NAMES_WIDTH + toX(scale, to);
  if (right < NAMES_WIDTH || left > NAMES_WIDTH + scale.widthPx) return;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(left, y + 5, Math.max(LEAST_WIDTH, right - left), ROW_HEIGHT - 10, 3);
  context.fill();
}

function drawAxis(context: CanvasRenderingContext2D, { scale, origin, palette }: Picture): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, NAMES_WIDTH + scale.widthPx, AXIS_HEIGHT);
  context.fillStyle = palette.line;
  context.fillRect(0, AXIS_HEIGHT - 1, NAMES_WIDTH + scale.widthPx, 1);
  context.fillStyle = palette.faint;
  for (const at of ticks(scale, origin)) {
    const x = NAMES_WIDTH + toX(scale, at) + 4;
    if (x < NAMES_WIDTH) continue;
    context.fillText(at === origin ? "0" : `+${formatDuration(at - origin)}`, x, AXIS_HEIGHT / 2);
  }
}

const MOST_NAME = 28;

const shorten = (name: string): string =>
  name.length <= MOST_NAME ? name : `${name.slice(0, 14)}…${name.slice(name.length - 12)}`;
