import type { TaskEntry, TaskState } from "../api/types.ts";
import { type Progress, within } from "./progress.ts";

// A definition is a tree of sequences: what follows what is known, and so is where it goes. Laying it out needs one walk,
// no search for a good arrangement, and nothing jumps when a status changes.

export type NodeKind = "task" | "start" | "end" | "frame" | "part";

export type DiagramNode = {
  readonly id: string;
  readonly kind: NodeKind;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly entry: TaskEntry | undefined;
  readonly task: TaskState | undefined;
  /** Of a container: whether what it holds is hidden. */
  readonly isCollapsed?: boolean;
  readonly canCollapse?: boolean;
  /** Of a container with pages: iterations of a loop, branches of a large fork. */
  readonly pages?: Pages | undefined;
  /** Of a part of an agent: what it is. */
  readonly part?: Part;
  /** Of a dynamic fork: everything it made. */
  readonly children?: readonly TaskState[];
};

export type Part = {
  readonly icon: "agent" | "tool" | "human" | "worker" | "remote";
  /** Below the name. */
  readonly note: string;
  /** Where it stands in the text. */
  readonly steps: readonly string[];
  readonly needsApproval?: boolean;
};

export type Pages = { readonly key: string; readonly page: number; readonly count: number; readonly noun: string };

export type DiagramEdge = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly isTaken: boolean;
  /** Where the line goes down when that is neither below its start nor above its end. */
  readonly viaX?: number;
};

export type Diagram = {
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
  readonly width: number;
  readonly height: number;
};

/** What the reader has opened and turned to, by the key of its container. */
export type DiagramView = {
  readonly collapsed: ReadonlyMap<string, boolean>;
  readonly pages: ReadonlyMap<string, number>;
};

export const TASK_WIDTH = 216;
export const TASK_HEIGHT = 54;
const SMALL = 28;
const GAP_X = 28;
/** Lines bend in the middle of it. */
export const GAP_Y = 52;
const FRAME_TOP = 62;
const FRAME_PAD = 20;
export const CHILD_GAP = 10;
const CHILD_COLUMNS = 3;
export const CHILDREN_PER_PAGE = 12;
export const BRANCHES_PER_PAGE = 8;
const MANY_ENTRIES = 120;

/** A piece of the picture, its own corner at 0,0, with the ends that lead into and out of it. */
export type Block = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
  readonly entry: string | undefined;
  readonly exits: readonly Exit[];
};

type Exit = { readonly id: string; readonly label?: string; readonly isTaken: boolean; readonly viaX?: number };

type Context = {
  readonly progress: Progress;
  readonly view: DiagramView;
  readonly iteration: string;
  readonly depth: number;
  /** Large definitions begin with their containers closed. */
  readonly closesDeep: boolean;
};

/** Where everything goes. */
export function layOut(
  entries: readonly TaskEntry[],
  progress: Progress,
  view: DiagramView,
  isEnded: boolean,
): Diagram {
  const context: Context = {
    progress,
    view,
    iteration: "",
    depth: 0,
    closesDeep: countEntries(entries) > MANY_ENTRIES,
  };
  const body = sequence(entries, context);
  const hasBegun = body.nodes.some(({ task }) => task !== undefined);
  const start = small("start", "Start", hasBegun);
  const end = small("end", "End", isEnded);
  const whole = stack([start, body, end]);
  return { nodes: whole.nodes, edges: whole.edges, width: whole.width, height: whole.height };
}

function countEntries(entries: readonly TaskEntry[]): number {
  let count = 0;
  for (const entry of entries) {
    count += 1 + countEntries(entry.defaultCase ?? []) + countEntries(entry.loopOver ?? []);
    for (const list of [...Object.values(entry.decisionCases ?? {}), ...(entry.forkTasks ?? [])])
      count += countEntries(list);
  }
  return count;
}

function small(kind: "start" | "end", label: string, isTaken: boolean): Block {
  const node: DiagramNode = {
    id: kind,
    kind,
    x: 0,
    y: 0,
    width: SMALL,
    height: SMALL,
    label,
    entry: undefined,
    task: undefined,
  };
  return { width: SMALL, height: SMALL, nodes: [node], edges: [], entry: kind, exits: [{ id: kind, isTaken }] };
}

const sequence = (entries: readonly TaskEntry[], context: Context): Block =>
  stack(entries.map((entry) => block(entry, context)));

function block(entry: TaskEntry, context: Context): Block {
  switch (entry.type) {
    case "SWITCH":
    case "DECISION":
      return switchBlock(entry, context);
    case "FORK_JOIN":
      return forkBlock(entry, context);
    case "FORK_JOIN_DYNAMIC":
      return dynamicForkBlock(entry, context);
    case "DO_WHILE":
      return loopBlock(entry, context);
    default:
      return taskBlock(entry, context);
  }
}

function taskBlock(entry: TaskEntry, context: Context, more: Partial<DiagramNode> = {}): Block {
  const node = taskNode(entry, context, more);
  const exit = { id: node.id, isTaken: node.task !== undefined };
  return { width: TASK_WIDTH, height: TASK_HEIGHT, nodes: [node], edges: [], entry: node.id, exits: [exit] };
}

function taskNode(entry: TaskEntry, { progress, iteration }: Context, more: Partial<DiagramNode> = {}): DiagramNode {
  const ref = entry.taskReferenceName;
  return {
    id: keyOf(ref, iteration),
    kind: "task",
    x: 0,
    y: 0,
    width: TASK_WIDTH,
    height: TASK_HEIGHT,
    label: ref,
    entry,
    task: progress.find(ref, iteration),
    ...more,
  };
}

const keyOf = (ref: string, iteration: string): string => (iteration === "" ? ref : `${ref} ${iteration}`);

function isCollapsed(key: string, { view, closesDeep, depth }: Context): boolean {
  return view.collapsed.get(key) ?? (closesDeep && depth > 0);
}

const deeper = (context: Context): Context => ({ ...context, depth: context.depth + 1 });

function switchBlock(entry: TaskEntry, context: Context): Block {
  const key = keyOf(entry.taskReferenceName, context.iteration);
  const collapsed = isCollapsed(key, context);
  const head = taskBlock(entry, context, { canCollapse: true, isCollapsed: collapsed });
  if (collapsed) return head;
  const cases = Object.entries(entry.decisionCases ?? {});
  const hasDefault = (entry.defaultCase?.length ?? 0) > 0;
  const branches: Branch[] = cases.map(([label, list]) => ({ label, block: sequence(list, deeper(context)) }));
  if (hasDefault) branches.push({ label: "default", block: sequence(entry.defaultCase ?? [], deeper(context)) });
  // Without a default what matches nothing goes straight on.
  else branches.push({ label: "otherwise", block: nothing });
  return fan(head, branches);
}

function forkBlock(entry: TaskEntry, context: Context): Block {
  const key = keyOf(entry.taskReferenceName, context.iteration);
  const collapsed = isCollapsed(key, context);
  const all = entry.forkTasks ?? [];
  const count = Math.ceil(all.length / BRANCHES_PER_PAGE);
  const page = Math.min(context.view.pages.get(key) ?? 0, Math.max(0, count - 1));
  const pages = count > 1 && !collapsed ? { key, page, count, noun: "branches" } : undefined;
  const head = taskBlock(entry, context, { canCollapse: true, isCollapsed: collapsed, pages });
  if (collapsed) return head;
  const shown = all.slice(page * BRANCHES_PER_PAGE, (page + 1) * BRANCHES_PER_PAGE);
  return fan(
    head,
    shown.map((list) => ({ block: sequence(list, deeper(context)) })),
  );
}

function loopBlock(entry: TaskEntry, context: Context): Block {
  const key = keyOf(entry.taskReferenceName, context.iteration);
  const collapsed = isCollapsed(key, context);
  const count = context.progress.iterations(entry.taskReferenceName, context.iteration);
  const page = Math.min(context.view.pages.get(key) ?? count - 1, count - 1);
  const pages = count > 0 ? { key, page: Math.max(0, page), count, noun: "iteration" } : undefined;
  if (collapsed) return taskBlock(entry, context, { canCollapse: true, isCollapsed: true });
  const iteration = within(context.iteration, Math.max(0, page) + 1);
  const body = sequence(entry.loopOver ?? [], { ...deeper(context), iteration });
  return frame(taskNode(entry, context, { canCollapse: true, isCollapsed: false, pages }), body);
}

function dynamicForkBlock(entry: TaskEntry, context: Context): Block {
  const key = keyOf(entry.taskReferenceName, context.iteration);
  const children = context.progress.made(entry.taskReferenceName, context.iteration);
  const collapsed = children.length === 0 || isCollapsed(key, context);
  if (collapsed) return taskBlock(entry, context, { canCollapse: children.length > 0, isCollapsed: true, children });
  const count = Math.ceil(children.length / CHILDREN_PER_PAGE);
  const page = Math.min(context.view.pages.get(key) ?? 0, count - 1);
  const pages = count > 1 ? { key, page, count, noun: "page" } : undefined;
  const shown = children.slice(page * CHILDREN_PER_PAGE, (page + 1) * CHILDREN_PER_PAGE);
  const body = grid(shown);
  return frame(taskNode(entry, context, { canCollapse: true, isCollapsed: false, pages, children }), body);
}

function grid(tasks: readonly TaskState[]): Block {
  const columns = Math.min(CHILD_COLUMNS, tasks.length);
  const nodes = tasks.map(
    (task, i): DiagramNode => ({
      id: task.taskId,
      kind: "task",
      x: (i % columns) * (TASK_WIDTH + CHILD_GAP),
      y: Math.floor(i / columns) * (TASK_HEIGHT + CHILD_GAP),
      width: TASK_WIDTH,
      height: TASK_HEIGHT,
      label: task.referenceTaskName,
      entry: undefined,
      task,
    }),
  );
  const rows = Math.ceil(tasks.length / columns);
  return {
    width: columns * TASK_WIDTH + (columns - 1) * CHILD_GAP,
    height: rows * TASK_HEIGHT + (rows - 1) * CHILD_GAP,
    nodes,
    edges: [],
    entry: undefined,
    exits: [],
  };
}

/** A container drawn around what it holds. Lines lead to the container, not through it. */
export function frame(head: DiagramNode, body: Block): Block {
  const width = Math.max(TASK_WIDTH + 80, body.width + 2 * FRAME_PAD);
  const height = FRAME_TOP + body.height + FRAME_PAD;
  const node: DiagramNode = { ...head, kind: "frame", width, height };
  const inside = move(body, (width - body.width) / 2, FRAME_TOP);
  const exit = { id: node.id, isTaken: node.task !== undefined };
  return { width, height, nodes: [node, ...inside.nodes], edges: inside.edges, entry: node.id, exits: [exit] };
}

const nothing: Block = { width: 60, height: 0, nodes: [], edges: [], entry: undefined, exits: [] };

export type Branch = { readonly label?: string; readonly block: Block };

/** A task on top and what may follow it side by side below. */
export function fan(head: Block, branches: readonly Branch[]): Block {
  const rowWidth =
    branches.reduce((sum, { block: one }) => sum + one.width, 0) + GAP_X * Math.max(0, branches.length - 1);
  const width = Math.max(head.width, rowWidth);
  const moved = move(head, (width - head.width) / 2, 0);
  const [from] = head.exits;
  if (from === undefined) return moved;
  const nodes = [...moved.nodes];
  const edges = [...moved.edges];
  const exits: Exit[] = [];
  const isAnyTaken = branches.some(({ block: one }) => startsTaken(one));
  let x = (width - rowWidth) / 2;
  let height = head.height;
  for (const { label, block: one } of branches) {
    const placed = move(one, x, head.height + GAP_Y);
    nodes.push(...placed.nodes);
    edges.push(...placed.edges);
    if (one.entry === undefined) {
      // Straight on: the line to whatever follows starts at the head.
      const isTaken = from.isTaken && !isAnyTaken;
      exits.push({ id: from.id, isTaken, viaX: x + one.width / 2, ...(label === undefined ? {} : { label }) });
    } else {
      edges.push(edge({ ...from, ...(label === undefined ? {} : { label }) }, one.entry, startsTaken(one)));
      exits.push(...placed.exits);
      height = Math.max(height, head.height + GAP_Y + one.height);
    }
    x += one.width + GAP_X;
  }
  return { width, height, nodes, edges, entry: head.entry, exits };
}

const startsTaken = ({ nodes, entry }: Block): boolean => nodes.find(({ id }) => id === entry)?.task !== undefined;

/** One below the other, joined by lines. */
export function stack(blocks: readonly Block[]): Block {
  const real = blocks.filter(({ nodes }) => nodes.length > 0);
  const width = Math.max(0, ...real.map((one) => one.width));
  const nodes: DiagramNode[] = [];
  const edges: DiagramEdge[] = [];
  let y = 0;
  let exits: readonly Exit[] = [];
  for (const one of real) {
    const placed = move(one, (width - one.width) / 2, y);
    nodes.push(...placed.nodes);
    edges.push(...placed.edges);
    const { entry } = one;
    if (entry !== undefined) {
      const isTaken = entry === "end" ? (one.exits[0]?.isTaken ?? false) : startsTaken(one);
      for (const exit of exits) edges.push(edge(exit, entry, isTaken));
    }
    exits = placed.exits;
    y += one.height + GAP_Y;
  }
  const [first] = real;
  return { width, height: Math.max(0, y - GAP_Y), nodes, edges, entry: first?.entry, exits };
}

const edge = (from: Exit, to: string, isTargetTaken: boolean): DiagramEdge => ({
  id: `${from.id}>${to}${from.label ?? ""}`,
  from: from.id,
  to,
  isTaken: (from.id === "start" || from.isTaken) && isTargetTaken,
  ...(from.viaX === undefined ? {} : { viaX: from.viaX }),
  ...(from.label === undefined ? {} : { label: from.label }),
});

const move = (one: Block, x: number, y: number): Block => ({
  ...one,
  nodes: one.nodes.map((node) => ({ ...node, x: node.x + x, y: node.y + y })),
  edges: one.edges.map((line) => moveLine(line, x)),
  exits: one.exits.map((exit) => moveLine(exit, x)),
});

const moveLine = <Line extends { readonly viaX?: number }>(line: Line, x: number): Line =>
  line.viaX === undefined ? line : { ...line, viaX: line.viaX + x };
