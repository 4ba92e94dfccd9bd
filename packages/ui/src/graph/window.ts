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

type Line = { readonly edge: DiagramEdge; readonly box: Placed; readonly ends: readonly DiagramNode[] };
type Band = { readonly nodes: DiagramNode[]; readonly lines: Line[] };

/** A diagram in bands from top to bottom: what is in a window is looked for in few of them. */
export type Bands = readonly Band[];

const BAND_HEIGHT = 2000;

/** The numbers of the bands from one height to another. */
function bandsFrom(top: number, bottom: number, count: number): readonly number[] {
  const first = Math.max(0, Math.floor(top / BAND_HEIGHT));
  const last = Math.min(count - 1, Math.floor(bottom / BAND_HEIGHT));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

export function toBands({ nodes, edges, height }: Diagram): Bands {
  const count = Math.floor(height / BAND_HEIGHT) + 1;
  const bands = Array.from({ length: count }, (): Band => ({ nodes: [], lines: [] }));
  const over = ({ y, height: high }: Placed) => bandsFrom(y, y + high, count);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const i of over(node)) bands[i]?.nodes.push(node);
  for (const edge of edges) {
    const [start, end] = [byId.get(edge.from), byId.get(edge.to)];
    if (start === undefined || end === undefined) continue;
    const box = around(start, end, edge.viaX);
    for (const i of over(box)) bands[i]?.lines.push({ edge, box, ends: [start, end] });
  }
  return bands;
}

/** What of a diagram is in a window: its nodes, the lines that pass through it, and the ends of those. */
export function cut(bands: Bands, window: Area): Cut {
  const nodes = new Set<DiagramNode>();
  const edges = new Set<DiagramEdge>();
  for (const i of bandsFrom(window.top, window.bottom, bands.length)) {
    for (const node of bands[i]?.nodes ?? []) if (overlaps(node, window)) nodes.add(node);
    for (const { edge, box, ends } of bands[i]?.lines ?? []) {
      if (!overlaps(box, window)) continue;
      edges.add(edge);
      for (const node of ends) nodes.add(node);
    }
  }
  return { nodes: [...nodes], edges: [...edges] };
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
