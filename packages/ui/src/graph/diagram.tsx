import "@xyflow/react/dist/style.css";
import { Background, Controls, type Edge, MarkerType, MiniMap, type Node, ReactFlow } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import type { TaskEntry } from "../api/types.ts";
import { useIsDark } from "../app/preferences.ts";
import { type DiagramNode, type DiagramView, layOut } from "./layout.ts";
import { EndNode, FrameNode, type NodeData, TaskNode } from "./nodes.tsx";
import type { Progress } from "./progress.ts";

type Props = {
  readonly entries: readonly TaskEntry[];
  readonly progress: Progress;
  /** The path to the end was taken. */
  readonly isEnded: boolean;
  readonly isOpen: (node: DiagramNode) => boolean;
  readonly onOpen: (node: DiagramNode) => void;
};

const nodeTypes = { task: TaskNode, frame: FrameNode, start: EndNode, end: EndNode };
const MINIMAP_NODES = 40;

/** A definition, with what an execution made of it. What the reader folds and turns to stays while statuses change. */
export function Diagram({ entries, progress, isEnded, isOpen, onOpen }: Props) {
  const [view, setView] = useState<DiagramView>({ collapsed: new Map(), pages: new Map() });
  const isDark = useIsDark();
  const onCollapse = useCallback(
    (key: string, isCollapsed: boolean) =>
      setView((before) => ({ ...before, collapsed: new Map(before.collapsed).set(key, isCollapsed) })),
    [],
  );
  const onPage = useCallback(
    (key: string, page: number) => setView((before) => ({ ...before, pages: new Map(before.pages).set(key, page) })),
    [],
  );
  const diagram = useMemo(() => layOut(entries, progress, view, isEnded), [entries, progress, view, isEnded]);
  const nodes = useMemo(
    () => diagram.nodes.map((node) => toFlowNode({ node, isOpen: isOpen(node), onCollapse, onPage })),
    [diagram, isOpen, onCollapse, onPage],
  );
  const edges = useMemo(() => diagram.edges.map(toFlowEdge), [diagram]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={isDark ? "dark" : "light"}
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
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
      className="!bg-sunken"
    >
      <Background gap={20} size={1} color="var(--line)" />
      <Controls showInteractive={false} />
      {nodes.length > MINIMAP_NODES && <MiniMap pannable zoomable nodeColor="var(--line-strong)" />}
    </ReactFlow>
  );
}

type FlowNode = Node<NodeData, "task" | "frame" | "start" | "end">;

function toFlowNode(data: NodeData): FlowNode {
  const { node } = data;
  return {
    id: node.id,
    type: node.kind,
    position: { x: node.x, y: node.y },
    width: node.width,
    height: node.height,
    data,
    selectable: node.kind !== "start" && node.kind !== "end",
    focusable: node.kind !== "start" && node.kind !== "end",
    zIndex: node.kind === "frame" ? 0 : 1,
    ariaLabel: node.label,
  };
}

function toFlowEdge({ id, from, to, label, isTaken }: ReturnType<typeof layOut>["edges"][number]): Edge {
  const colour = isTaken ? "var(--accent)" : "var(--line-strong)";
  return {
    id,
    source: from,
    target: to,
    type: "smoothstep",
    zIndex: 1,
    style: { stroke: colour, strokeWidth: isTaken ? 2 : 1.25, ...(isTaken ? {} : { strokeDasharray: "4 4" }) },
    markerEnd: { type: MarkerType.ArrowClosed, color: colour, width: 14, height: 14 },
    ...(label === undefined
      ? {}
      : {
          label,
          labelStyle: { fill: "var(--ink-soft)", fontSize: 11 },
          labelBgStyle: { fill: "var(--surface-sunken)" },
          labelBgPadding: [4, 2],
        }),
  };
}
