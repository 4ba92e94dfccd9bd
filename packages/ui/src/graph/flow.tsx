import "@xyflow/react/dist/style.css";
import {
  Background,
  ControlButton,
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type Node,
  Position,
  ReactFlow,
  useReactFlow,
  useStoreApi,
  type Viewport,
} from "@xyflow/react";
import { LocateFixed } from "lucide-react";
import { type CSSProperties, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useIsDark } from "../app/preferences.ts";
import { isTaskFailed, isTaskOpen } from "../lib/status.ts";
import type { Diagram, DiagramEdge, DiagramNode } from "./layout.ts";
import { Line } from "./line.tsx";
import { EndNode, FrameNode, type NodeData, PartNode, TaskNode } from "./nodes.tsx";
import { type Area, areaInSight, type Cut, cut, stillFits, toBands, withMargin } from "./window.ts";

type Props = {
  readonly diagram: Diagram;
  readonly isOpen: (node: DiagramNode) => boolean;
  readonly onOpen: (node: DiagramNode) => void;
  readonly onCollapse?: NodeData["onCollapse"];
  readonly onPage?: NodeData["onPage"];
};

const nodeTypes = { task: TaskNode, part: PartNode, frame: FrameNode, start: EndNode, end: EndNode };
const edgeTypes = { line: Line };
const MINIMAP_NODES = 40;
/** More are not told apart on a map either. */
const MOST_AT_ONCE = 500;
const PADDING = 48;
/** Smaller than this nobody can read: a tall diagram is then shown from where something happens. */
const LEAST_ZOOM = 0.6;
const READABLE_ZOOM = 0.85;

const nothing = (): void => undefined;

/** Draws what was laid out: it can be moved, enlarged and clicked. */
export function Flow({ diagram, isOpen, onOpen, onCollapse = nothing, onPage = nothing }: Props) {
  const isDark = useIsDark();
  const place = useRef<HTMLDivElement>(null);
  const { shown, look } = useWindow(diagram);
  const nodes = useMemo(
    () => shown.nodes.map((node) => toFlowNode({ node, isOpen: isOpen(node), onCollapse, onPage })),
    [shown, isOpen, onCollapse, onPage],
  );
  // Taken ones last: they are drawn over those that were not.
  const edges = useMemo(
    () => shown.edges.toSorted((a, b) => Number(a.isTaken) - Number(b.isTaken)).map(toFlowEdge),
    [shown],
  );
  const isLarge = diagram.nodes.length > MOST_AT_ONCE;
  return (
    <ReactFlow
      ref={place}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={isDark ? "dark" : "light"}
      edgeTypes={edgeTypes}
      onInit={(flow) => void flow.setViewport(firstViewport(diagram, place.current))}
      minZoom={0.05}
      maxZoom={1.8}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      onlyRenderVisibleElements
      panOnScroll
      proOptions={{ hideAttribution: true }}
      onNodeClick={(_event, { data }) => onOpen(data.node)}
      aria-label="Diagram"
      style={flowColours}
    >
      <Lookout onLook={look} />
      <Background gap={20} size={1} color="var(--line)" />
      <Controls showInteractive={false} showFitView={!isLarge}>
        {isLarge && <BackButton diagram={diagram} place={place} />}
      </Controls>
      {nodes.length > MINIMAP_NODES && !isLarge && <MiniMap pannable zoomable nodeColor="var(--line-strong)" />}
    </ReactFlow>
  );
}

type Place = RefObject<HTMLDivElement | null>;

type Window = { readonly shown: Cut; readonly look: (inSight: Area) => void };

/** What is handed to the library, which looks at all it has whenever something moves: of a large diagram what is near. */
function useWindow(diagram: Diagram): Window {
  const [window, setWindow] = useState(() => withMargin(areaInSight(firstViewport(diagram, null), sizeOf(null))));
  const bands = useMemo(() => (diagram.nodes.length > MOST_AT_ONCE ? toBands(diagram) : undefined), [diagram]);
  const shown = useMemo(() => (bands === undefined ? diagram : cut(bands, window)), [diagram, bands, window]);
  const look = useCallback(
    (inSight: Area) => setWindow((before) => (stillFits(before, inSight) ? before : withMargin(inSight))),
    [],
  );
  return { shown, look };
}

/** Tells what is in sight, however it came to be: of the first step of a gesture the library's own events say nothing. */
function Lookout({ onLook }: { readonly onLook: (inSight: Area) => void }) {
  const store = useStoreApi();
  useEffect(() => {
    let seen: unknown;
    const look = ({ transform, width, height }: ReturnType<typeof store.getState>) => {
      if (transform === seen || width === 0) return;
      seen = transform;
      const [x, y, zoom] = transform;
      onLook(areaInSight({ x, y, zoom }, { width, height }));
    };
    look(store.getState());
    return store.subscribe(look);
  }, [store, onLook]);
  return null;
}

/** All of a large diagram cannot be seen at once: back to where something happens. */
function BackButton({ diagram, place }: { readonly diagram: Diagram; readonly place: Place }) {
  const { setViewport } = useReactFlow();
  return (
    <ControlButton
      title="Where it stands"
      aria-label="Where it stands"
      onClick={() => void setViewport(firstViewport(diagram, place.current))}
    >
      <LocateFixed className="!fill-none" />
    </ControlButton>
  );
}

const sizeOf = (place: HTMLElement | null): { readonly width: number; readonly height: number } => ({
  width: place?.clientWidth ?? 800,
  height: place?.clientHeight ?? 600,
});

const flowColours = {
  "--xy-background-color": "var(--surface-sunken)",
  "--xy-controls-button-background-color": "var(--surface-raised)",
  "--xy-controls-button-background-color-hover": "var(--surface-hover)",
  "--xy-controls-button-color": "var(--ink-soft)",
  "--xy-controls-button-color-hover": "var(--ink)",
  "--xy-controls-button-border-color": "var(--line)",
  "--xy-minimap-background-color": "var(--surface)",
} as CSSProperties;

/** All of it where that can be read; otherwise what is open or failed, or else the beginning. */
function firstViewport({ nodes, width, height }: Diagram, place: HTMLElement | null): Viewport {
  const { width: clientWidth, height: clientHeight } = sizeOf(place);
  const zoom = Math.min(1, (clientWidth - PADDING) / width, (clientHeight - PADDING) / height);
  if (zoom >= LEAST_ZOOM) {
    return { x: (clientWidth - width * zoom) / 2, y: (clientHeight - height * zoom) / 2, zoom };
  }
  const readable = Math.max(LEAST_ZOOM, Math.min(READABLE_ZOOM, (clientWidth - PADDING) / width));
  const focus = nodes.find(({ kind, task }) => kind === "task" && task !== undefined && isNews(task.status));
  const isWide = width * readable > clientWidth;
  const centreX = focus === undefined || !isWide ? width / 2 : focus.x + focus.width / 2;
  const y = focus === undefined ? PADDING / 2 : clientHeight / 2 - focus.y * readable;
  return { x: clientWidth / 2 - centreX * readable, y: Math.min(y, PADDING / 2), zoom: readable };
}

const isNews = (status: string): boolean => isTaskOpen(status) || isTaskFailed(status);

type FlowNode = Node<NodeData, DiagramNode["kind"]>;

function toFlowNode(data: NodeData): FlowNode {
  const { node } = data;
  return {
    id: node.id,
    type: node.kind,
    position: { x: node.x, y: node.y },
    width: node.width,
    height: node.height,
    // Known before anything is drawn: what had to be measured would be drawn once, all of it, for that alone.
    measured: { width: node.width, height: node.height },
    handles: [
      { type: "target", position: Position.Top, x: node.width / 2, y: 0, width: 0, height: 0 },
      { type: "source", position: Position.Bottom, x: node.width / 2, y: node.height, width: 0, height: 0 },
    ],
    data,
    selectable: node.kind !== "start" && node.kind !== "end",
    focusable: node.kind !== "start" && node.kind !== "end",
    zIndex: node.kind === "frame" ? 0 : 1,
    ariaLabel: node.label,
  };
}

function toFlowEdge({ id, from, to, label, isTaken, viaX }: DiagramEdge): Edge {
  const colour = isTaken ? "var(--accent)" : "var(--line-strong)";
  return {
    id,
    source: from,
    target: to,
    type: "line",
    zIndex: 1,
    style: { stroke: colour, strokeWidth: isTaken ? 2 : 1.25, ...(isTaken ? {} : { strokeDasharray: "4 4" }) },
    markerEnd: { type: MarkerType.ArrowClosed, color: colour, width: 14, height: 14 },
    ...(label === undefined ? {} : { label }),
    ...(viaX === undefined ? {} : { data: { viaX } }),
  };
}
