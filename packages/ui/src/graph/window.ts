import type { Diagram, DiagramEdge, DiagramNode } from "./layout.ts";

/** A part of the picture, in its own measure. */
export type Area = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

type View = { readonly x: number; readonly y: number; readonly zoom: number };
type Size = { readonly width: number; readonly height: number };

/** What is in sight. */
export const areaInSight = ({ x, y, zoom }: View, { width, height }: Size): Area => ({
  left: -x / zoom,
  top: -y / zoom,
  right: (width - x) / zoom,
  bottom: (height - y) / zoom,
});

/** With as much again on every side: not every move needs another window. */
export function withMargin({ left, top, right, bottom }: Area): Area {
  const [width, height] = [right - left, bottom - top];
  return { left: left - width, top: top - height, right: right + width, bottom: bottom + height };
}

/** A window with its margin is three times as high as what is in sight: much higher is too much. */
const MOST_TIMES = 8;

/** Whether a window still does for what is in sight now. */
export function stillFits(window: Area, inSight: Area): boolean {
  const isInside =
    window.left <= inSight.left &&
    window.top <= inSight.top &&
    window.right >= inSight.right &&
    window.bottom >= inSight.bottom;
  return isInside && window.bottom - window.top <= MOST_TIMES * (inSight.bottom - inSight.top);
}

type Placed = Pick<DiagramNode, "x" | "y" | "width" | "height">;

export type Cut = { readonly nodes: readonly DiagramNode[]; readonly edges: readonly DiagramEdge[] };

/** What of a diagram is in a window: its nodes, the lines that pass through it, and the ends of those. */
export function cut({ nodes, edges }: Diagram, window: Area): Cut {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const wanted = new Set<string>();
  const lines = edges.filter(({ from, to, viaX }) => {
    const [start, end] = [byId.get(from), byId.get(to)];
    if (start === undefined || end === undefined || !overlaps(around(start, end, viaX), window)) return false;
    wanted.add(from).add(to);
    return true;
  });
  return { nodes: nodes.filter((node) => wanted.has(node.id) || overlaps(node, window)), edges: lines };
}

function around(one: Placed, other: Placed, viaX: number | undefined): Placed {
  const sides = [one.x, other.x, one.x + one.width, other.x + other.width, ...(viaX === undefined ? [] : [viaX])];
  const x = Math.min(...sides);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    width: Math.max(...sides) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

const overlaps = ({ x, y, width, height }: Placed, { left, top, right, bottom }: Area): boolean =>
  x <= right && x + width >= left && y <= bottom && y + height >= top;
