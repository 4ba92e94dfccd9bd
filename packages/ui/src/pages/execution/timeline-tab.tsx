import { Maximize2, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Execution, TaskState } from "../../api/types.ts";
import { useIsDark } from "../../app/preferences.ts";
import { IconButton } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { useNow } from "../../components/time.tsx";
import { formatDuration } from "../../lib/format.ts";
import { isExecutionOpen, isTaskOpen, statusLabel } from "../../lib/status.ts";
import { AXIS_HEIGHT, draw, NAMES_WIDTH, ROW_HEIGHT, readPalette } from "../../timeline/draw.ts";
import { pan, type Scale, toTime, zoom } from "../../timeline/scale.ts";

type Props = {
  readonly execution: Execution;
  readonly tasks: readonly TaskState[];
  readonly openTaskId: string | undefined;
  readonly onOpen: (taskId: string) => void;
};

const CLOSER = 0.6;

/** When each task waited and ran. */
export function TimelineTab(props: Props) {
  if (props.tasks.length === 0) return <EmptyState title="No task was scheduled yet" />;
  return <Timeline {...props} />;
}

function Timeline({ execution, tasks, openTaskId, onOpen }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const [hovered, setHovered] = useState<{ readonly row: number; readonly x: number; readonly y: number }>();
  const [chosenScale, setScale] = useState<Scale>();
  const isDark = useIsDark();
  const tick = useNow();
  const isOpen = isExecutionOpen(execution.status);
  const now = isOpen ? Math.max(tick, execution.updateTime) : 0;
  const whole = useMemo(() => wholeScale(tasks, now, size.width - NAMES_WIDTH), [tasks, now, size.width]);
  const scale = chosenScale === undefined ? whole : { ...chosenScale, widthPx: whole.widthPx };

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: in the other theme the palette is another one
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    const element = scroller.current;
    if (!context || element === null) return;
    const palette = readPalette();
    const ratio = window.devicePixelRatio || 1;
    let frame = 0;
    const paint = () => {
      frame = 0;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      draw(context, {
        tasks,
        scale,
        origin: whole.from,
        scrollTop: element.scrollTop,
        heightPx: size.height,
        now,
        chosen: openTaskId,
        hovered: hovered?.row,
        palette,
      });
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(paint);
    };
    paint();
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      element.removeEventListener("scroll", onScroll);
      cancelAnimationFrame(frame);
    };
  }, [tasks, scale, whole, size, now, openTaskId, hovered, isDark]);

  useWheelZoom(scroller, (event, x) => {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const delta = event.deltaX || event.deltaY;
      setScale(pan(scale, (delta / scale.widthPx) * (scale.to - scale.from), whole));
    } else {
      setScale(zoom(scale, event.deltaY > 0 ? 1 / CLOSER : CLOSER, toTime(scale, x), whole));
    }
  });

  const rowAt = (event: PointerEvent): number => {
    const top = canvas.current?.getBoundingClientRect().top ?? 0;
    return Math.floor((event.clientY - top - AXIS_HEIGHT + (scroller.current?.scrollTop ?? 0)) / ROW_HEIGHT);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tasks.findIndex(({ taskId }) => taskId === openTaskId);
    const next = tasks[Math.min(tasks.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    onOpen(next.taskId);
    keepInSight(scroller.current, tasks.indexOf(next));
  };
  const middle = (scale.from + scale.to) / 2;
  const hoveredTask = hovered && tasks[hovered.row];
  return (
    <>
      <div className="flex items-center gap-1 border-b border-line px-3 py-1.5 text-xs text-faint">
        <span className="inline-block h-2.5 w-6 rounded-sm bg-running/30" /> waiting
        <span className="ml-3 inline-block h-2.5 w-6 rounded-sm bg-running" /> running
        <span className="ml-auto">Ctrl and wheel zooms, shift and wheel moves</span>
        <IconButton label="Zoom in" onClick={() => setScale(zoom(scale, CLOSER, middle, whole))}>
          <ZoomIn />
        </IconButton>
        <IconButton label="Zoom out" onClick={() => setScale(zoom(scale, 1 / CLOSER, middle, whole))}>
          <ZoomOut />
        </IconButton>
        <IconButton label="Show all" onClick={() => setScale(undefined)}>
          <Maximize2 />
        </IconButton>
      </div>
      <div ref={scroller} data-timeline className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto">
        <div style={{ height: Math.max(tasks.length * ROW_HEIGHT + AXIS_HEIGHT + ROW_HEIGHT, size.height) }}>
          <canvas
            ref={canvas}
            role="img"
            tabIndex={0}
            aria-label={`Timeline of ${tasks.length} tasks; arrow keys choose one. The tab Tasks has the same as a table.`}
            width={size.width * (window.devicePixelRatio || 1)}
            height={size.height * (window.devicePixelRatio || 1)}
            style={{ width: size.width, height: size.height }}
            className="sticky top-0 block cursor-pointer focus-visible:outline-offset-[-2px]"
            onPointerMove={(event) => setHovered({ row: rowAt(event), x: event.clientX, y: event.clientY })}
            onPointerLeave={() => setHovered(undefined)}
            onClick={() => hoveredTask && onOpen(hoveredTask.taskId)}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      {hovered && hoveredTask && <Tip task={hoveredTask} x={hovered.x} y={hovered.y} now={now} />}
    </>
  );
}

function Tip({
  task,
  x,
  y,
  now,
}: {
  readonly task: TaskState;
  readonly x: number;
  readonly y: number;
  readonly now: number;
}) {
  const end = isTaskOpen(task.status) ? now : task.endTime || task.updateTime;
  const start = task.startTime || end;
  return (
    <div
      className="pointer-events-none fixed z-50 rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-pop"
      style={{ left: Math.min(x + 14, window.innerWidth - 260), top: Math.min(y + 14, window.innerHeight - 90) }}
    >
      <p className="font-semibold">{task.referenceTaskName}</p>
      <p className="text-soft">
        {task.taskType} · {statusLabel(task.status)}
        {task.retryCount > 0 && ` · attempt ${task.retryCount + 1}`}
      </p>
      <p className="text-soft">
        waited {formatDuration(start - task.scheduledTime)}
        {task.startTime > 0 && `, ran ${formatDuration(end - start)}`}
      </p>
    </div>
  );
}

/** From the first task to the last end, and a little room. */
function wholeScale(tasks: readonly TaskState[], now: number, widthPx: number): Scale {
  let from = Number.POSITIVE_INFINITY;
  let to = now;
  for (const task of tasks) {
    from = Math.min(from, task.scheduledTime);
    to = Math.max(to, task.endTime, task.startTime, task.scheduledTime);
  }
  return { from, to: to + Math.max(5, (to - from) * 0.08), widthPx: Math.max(100, widthPx) };
}

function keepInSight(element: HTMLElement | null, row: number): void {
  if (element === null) return;
  const top = row * ROW_HEIGHT;
  const bottom = top + ROW_HEIGHT * 3;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
}

/** React's wheel listeners are passive: they could not keep the page from zooming. */
function useWheelZoom(
  scroller: React.RefObject<HTMLElement | null>,
  onWheel: (event: WheelEvent, x: number) => void,
): void {
  const latest = useRef(onWheel);
  useEffect(() => {
    latest.current = onWheel;
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const listener = (event: WheelEvent) => {
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !event.metaKey && !isSideways) return;
      event.preventDefault();
      latest.current(event, event.clientX - element.getBoundingClientRect().left - NAMES_WIDTH);
    };
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, [scroller]);
}
