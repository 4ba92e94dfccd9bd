import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { GAP_Y } from "./layout.ts";

const RADIUS = 8;

/** A line between two tasks: down, across just above its end, down. */
export function Line({ id, sourceX, sourceY, targetX, targetY, label, style, markerEnd, data }: EdgeProps) {
  const viaX = typeof data?.["viaX"] === "number" ? data["viaX"] : sourceX;
  const bendY = targetY - GAP_Y / 2;
  const points: Point[] = [[sourceX, sourceY]];
  if (viaX !== sourceX) points.push([sourceX, sourceY + GAP_Y / 2], [viaX, sourceY + GAP_Y / 2]);
  points.push([viaX, bendY], [targetX, bendY], [targetX, targetY]);
  const [labelX, labelY] = viaX === sourceX ? [targetX, bendY] : [viaX, sourceY + GAP_Y / 2];
  return (
    <>
      <BaseEdge id={id} path={roundedPath(points)} {...(style && { style })} {...(markerEnd && { markerEnd })} />
      {label !== undefined && (
        <EdgeLabelRenderer>
          <div
            className="pointer-events-none absolute max-w-40 truncate rounded bg-sunken px-1.5 text-2xs text-soft"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            {label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

type Point = readonly [x: number, y: number];

/** Straight pieces with their corners rounded. */
function roundedPath(points: readonly Point[]): string {
  const parts = [`M${points[0]?.join(",") ?? ""}`];
  for (let i = 1; i < points.length - 1; i += 1) {
    const [before, at, after] = [points[i - 1], points[i], points[i + 1]];
    if (before === undefined || at === undefined || after === undefined) continue;
    const radius = Math.min(RADIUS, distance(before, at) / 2, distance(at, after) / 2);
    parts.push(`L${toward(at, before, radius).join(",")}`, `Q${at.join(",")} ${toward(at, after, radius).join(",")}`);
  }
  parts.push(`L${points.at(-1)?.join(",") ?? ""}`);
  return parts.join(" ");
}

const distance = ([ax, ay]: Point, [bx, by]: Point): number => Math.abs(ax - bx) + Math.abs(ay - by);

function toward([ax, ay]: Point, to: Point, by: number): Point {
  const length = distance([ax, ay], to);
  return length === 0 ? [ax, ay] : [ax + ((to[0] - ax) / length) * by, ay + ((to[1] - ay) / length) * by];
}
