import { Handle, Position } from "@xyflow/react";
import {
  Bot,
  ChevronLeft,
  ChevronRight,
  CircleHelp,
  Clock,
  Combine,
  Fan,
  GitFork,
  Globe,
  type LucideIcon,
  Minus,
  Plus,
  Repeat,
  ShieldQuestionMark,
  Split,
  Square,
  SquareFunction,
  User,
  Workflow,
  Wrench,
} from "lucide-react";
import { memo } from "react";
import { dots, StatusDot } from "../components/status-badge.tsx";
import { formatCount } from "../lib/format.ts";
import { statusLabel, type Tone, toneOf } from "../lib/status.ts";
import type { DiagramNode, Part } from "./layout.ts";

export type NodeData = {
  readonly node: DiagramNode;
  readonly isOpen: boolean;
  readonly onCollapse: (key: string, isCollapsed: boolean) => void;
  readonly onPage: (key: string, page: number) => void;
};

type Props = { readonly data: NodeData };

const icons: Readonly<Record<string, LucideIcon>> = {
  SIMPLE: Square,
  HTTP: Globe,
  INLINE: SquareFunction,
  JSON_JQ_TRANSFORM: SquareFunction,
  SWITCH: Split,
  DECISION: Split,
  FORK_JOIN: GitFork,
  FORK_JOIN_DYNAMIC: Fan,
  JOIN: Combine,
  EXCLUSIVE_JOIN: Combine,
  DO_WHILE: Repeat,
  WAIT: Clock,
  HUMAN: User,
  SUB_WORKFLOW: Workflow,
  START_WORKFLOW: Workflow,
  DYNAMIC: CircleHelp,
};

const borders: Record<Tone, string> = {
  running: "border-running",
  good: "border-good/60",
  bad: "border-bad",
  late: "border-late",
  held: "border-held",
  stopped: "border-stopped",
  quiet: "border-quiet",
};

const typeOf = ({ entry, task }: DiagramNode): string => entry?.type ?? task?.taskType ?? "";

/** A task: its status at the left edge, its name and type. Faint when it was not reached. */
export const TaskNode = memo(function TaskNode({ data }: Props) {
  const { node, isOpen } = data;
  const { task, label } = node;
  const type = typeOf(node);
  const Icon = icons[type] ?? Square;
  const border = task === undefined ? "border-dashed border-line-strong" : borders[toneOf(task.status)];
  return (
    <div
      style={{ width: node.width, height: node.height }}
      title={task === undefined ? `${label}: not reached` : `${label}: ${statusLabel(task.status)}`}
      className={`flex items-center gap-2.5 rounded-lg border bg-raised px-3 ${border} ${isOpen ? "ring-2 ring-accent ring-offset-1 ring-offset-sunken" : ""}`}
    >
      <Ends />
      <Icon className={`size-4 shrink-0 ${task === undefined ? "text-faint" : "text-soft"}`} />
      <div className="min-w-0 flex-1">
        <p className={`truncate text-sm leading-tight font-medium ${task === undefined ? "text-soft" : ""}`}>{label}</p>
        <p className="mono truncate text-[0.65rem] leading-tight text-faint">
          {type}
          {node.children !== undefined && node.children.length > 0 && ` · ${formatCount(node.children.length)}`}
        </p>
      </div>
      {task !== undefined && task.retryCount > 0 && (
        <span className="text-2xs text-faint" title={`Attempt ${task.retryCount + 1}`}>
          ×{task.retryCount + 1}
        </span>
      )}
      <Controls {...data} />
      {task !== undefined && <StatusDot status={task.status} />}
    </div>
  );
});

const partIcons: Record<Part["icon"], LucideIcon> = {
  agent: Bot,
  tool: Wrench,
  human: User,
  worker: Square,
  remote: Globe,
};

/** A part of an agent: an agent, a tool. */
export const PartNode = memo(function PartNode({ data: { node, isOpen } }: Props) {
  const { icon = "tool", note = "", needsApproval = false } = node.part ?? {};
  const Icon = partIcons[icon];
  return (
    <div
      style={{ width: node.width, height: node.height }}
      title={`${node.label}: ${note}`}
      className={`flex items-center gap-2.5 rounded-lg border bg-raised px-3 ${icon === "agent" ? "border-accent" : "border-line-strong"} ${isOpen ? "ring-2 ring-accent ring-offset-1 ring-offset-sunken" : ""}`}
    >
      <Ends />
      <Icon className={`size-4 shrink-0 ${icon === "agent" ? "text-accent-ink" : "text-soft"}`} />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm leading-tight font-medium">{node.label}</p>
        <p className="truncate text-[0.7rem] leading-tight text-faint">{note}</p>
      </div>
      {needsApproval && (
        <ShieldQuestionMark aria-label="Needs approval" className="size-4 shrink-0 text-held" role="img" />
      )}
    </div>
  );
});

/** A container around what it holds: a loop's iteration, a dynamic fork's tasks. */
export const FrameNode = memo(function FrameNode({ data }: Props) {
  const { node, isOpen } = data;
  const { task, label, children, part } = node;
  const Icon = part === undefined ? (icons[typeOf(node)] ?? Square) : partIcons[part.icon];
  const border = task === undefined ? "border-dashed border-line-strong" : borders[toneOf(task.status)];
  return (
    <div
      style={{ width: node.width, height: node.height }}
      className={`rounded-xl border bg-hover/40 ${border} ${isOpen ? "ring-2 ring-accent" : ""}`}
    >
      <Ends />
      <div className="flex h-10 items-center gap-2 px-3">
        <Icon className="size-4 shrink-0 text-soft" />
        <p className="truncate text-sm font-medium">{label}</p>
        {children !== undefined && <span className="text-xs text-faint">{formatCount(children.length)} tasks</span>}
        <span className="ml-auto" />
        <Controls {...data} />
        {task !== undefined && <StatusDot status={task.status} />}
      </div>
      {children !== undefined && <Shares node={node} />}
    </div>
  );
});

/** How the tasks of a dynamic fork stand, as shares of one bar. */
function Shares({ node: { children = [] } }: { readonly node: DiagramNode }) {
  const counts = new Map<string, number>();
  for (const { status } of children) counts.set(status, (counts.get(status) ?? 0) + 1);
  const text = [...counts]
    .map(([status, count]) => `${formatCount(count)} ${statusLabel(status).toLowerCase()}`)
    .join(", ");
  return (
    <div role="img" aria-label={text} title={text} className="mx-3 flex h-1.5 gap-px overflow-hidden rounded-full">
      {[...counts].map(([status, count]) => (
        <div key={status} className={dots[toneOf(status)]} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

function Controls({ node, onCollapse, onPage }: NodeData) {
  const { pages } = node;
  const button =
    "nodrag nopan inline-flex size-5 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink disabled:opacity-30 [&_svg]:size-3.5";
  return (
    <>
      {pages !== undefined && (
        <span className="flex items-center text-2xs whitespace-nowrap text-soft tabular-nums">
          <button
            type="button"
            aria-label={`Previous ${pages.noun}`}
            disabled={pages.page === 0}
            className={button}
            onClick={(event) => {
              event.stopPropagation();
              onPage(pages.key, pages.page - 1);
            }}
          >
            <ChevronLeft />
          </button>
          {pages.page + 1}/{formatCount(pages.count)}
          <button
            type="button"
            aria-label={`Next ${pages.noun}`}
            disabled={pages.page >= pages.count - 1}
            className={button}
            onClick={(event) => {
              event.stopPropagation();
              onPage(pages.key, pages.page + 1);
            }}
          >
            <ChevronRight />
          </button>
        </span>
      )}
      {node.canCollapse && (
        <button
          type="button"
          aria-label={node.isCollapsed ? `Unfold ${node.label}` : `Fold ${node.label}`}
          aria-expanded={!node.isCollapsed}
          className={button}
          onClick={(event) => {
            event.stopPropagation();
            onCollapse(node.id, !node.isCollapsed);
          }}
        >
          {node.isCollapsed ? <Plus /> : <Minus />}
        </button>
      )}
    </>
  );
}

/** Start and end. */
export const EndNode = memo(function EndNode({ data: { node } }: Props) {
  return (
    <div
      title={node.label}
      style={{ width: node.width, height: node.height }}
      className={`rounded-full border-2 ${node.kind === "start" ? "border-soft bg-surface" : "border-4 border-double border-soft bg-surface"}`}
    >
      <Ends />
    </div>
  );
});

function Ends() {
  const look = "!size-px !min-h-0 !min-w-0 !border-0 !bg-transparent";
  return (
    <>
      <Handle type="target" position={Position.Top} className={look} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} className={look} isConnectable={false} />
    </>
  );
}
