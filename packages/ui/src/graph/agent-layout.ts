import {
  type Block,
  type Branch,
  CHILD_GAP,
  type Diagram,
  type DiagramNode,
  fan,
  frame,
  type Part,
  stack,
  TASK_HEIGHT,
  TASK_WIDTH,
} from "./layout.ts";

type Steps = readonly string[];
type Members = Readonly<Record<string, unknown>>;

const TOOL_COLUMNS = 2;
/** A configuration within a configuration, at most this deep: what is typed may be anything. */
const MOST_DEPTH = 8;

/** An agent with its tools and the agents it works with, as a picture. Takes whatever was typed. */
export function layOutAgent(config: unknown): Diagram {
  const { nodes, edges, width, height } = agentBlock(config, [], 0);
  return { nodes, edges, width, height };
}

function agentBlock(config: unknown, steps: Steps, depth: number): Block {
  const agent = members(config);
  const head = partBlock(text(agent["name"]) || "unnamed", {
    icon: "taskName" in agent ? "worker" : "agent",
    note: noteOf(agent),
    steps,
  });
  if (depth >= MOST_DEPTH) return head;
  const inside = (key: string): Steps => [...steps, key];
  const tools = list(agent["tools"]).map((tool, i) => ({
    tool: members(tool),
    steps: [...inside("tools"), String(i)],
  }));
  const plain = tools.filter(({ tool }) => agentOf(tool) === undefined);
  const branches: Branch[] = [];
  if (plain.length > 0) branches.push({ label: "tools", block: toolsBlock(plain, inside("tools")) });
  for (const { tool, steps: at } of tools) {
    const inner = agentOf(tool);
    if (inner !== undefined)
      branches.push({ label: "as a tool", block: agentBlock(inner, [...at, "config", "agentConfig"], depth + 1) });
  }
  for (const [key, label] of [
    ["router", "routes"],
    ["planner", "plans"],
    ["fallback", "when the plan fails"],
  ] as const) {
    if (isObject(agent[key])) branches.push({ label, block: agentBlock(agent[key], inside(key), depth + 1) });
  }
  branches.push(...teamBranches(agent, inside("agents"), depth));
  return branches.length === 0 ? head : fan(head, branches);
}

/** The agents it works with: one after the other, or side by side. */
function teamBranches(agent: Members, steps: Steps, depth: number): readonly Branch[] {
  const blocks = list(agent["agents"]).map((one, i) => agentBlock(one, [...steps, String(i)], depth + 1));
  if (blocks.length === 0) return [];
  const strategy = text(agent["strategy"]).toLowerCase() || "handoff";
  if (strategy === "sequential") return [{ label: "in sequence", block: stack(blocks) }];
  return list(agent["agents"]).flatMap((one, i) => {
    const block = blocks[i];
    return block === undefined ? [] : [{ label: wayTo(agent, text(members(one)["name"]), strategy), block }];
  });
}

/** When the work goes to a member: by a rule of its own, or by how the team works. */
function wayTo(agent: Members, name: string, strategy: string): string {
  const rule = list(agent["handoffs"])
    .map(members)
    .find(({ target }) => target === name);
  if (rule === undefined) return strategy.replaceAll("_", " ");
  const { text: mention, toolName, resultContains, taskName } = rule;
  if (text(mention) !== "") return `mentions ${text(mention)}`;
  if (text(toolName) !== "") return `${text(toolName)} says ${text(resultContains)}`;
  return text(taskName) === "" ? "handoff" : `if ${text(taskName)}`;
}

function noteOf(agent: Members): string {
  if (text(agent["taskName"]) !== "") return text(agent["taskName"]);
  const guardrails = list(agent["guardrails"]).length;
  const to = members(agent["allowedTransitions"])[text(agent["name"])];
  return [
    text(agent["model"]) || (agent["external"] === true ? "an existing workflow" : "the model of its caller"),
    ...(guardrails === 0 ? [] : [`${guardrails} guardrail${guardrails === 1 ? "" : "s"}`]),
    ...(list(to).length === 0 ? [] : [`may hand to ${list(to).map(text).join(", ")}`]),
  ].join(" · ");
}

type ToolAt = { readonly tool: Members; readonly steps: Steps };

function toolsBlock(tools: readonly ToolAt[], steps: Steps): Block {
  const columns = Math.min(TOOL_COLUMNS, tools.length);
  const rows = Math.ceil(tools.length / columns);
  const nodes = tools.map(({ tool, steps: at }, i) => ({
    ...partNode(text(tool["name"]) || "unnamed", toolPart(tool, at)),
    x: (i % columns) * (TASK_WIDTH + CHILD_GAP),
    y: Math.floor(i / columns) * (TASK_HEIGHT + CHILD_GAP),
  }));
  const width = columns * TASK_WIDTH + (columns - 1) * CHILD_GAP;
  const height = rows * TASK_HEIGHT + (rows - 1) * CHILD_GAP;
  return frame(partNode("Tools", { icon: "tool", note: "", steps }), {
    width,
    height,
    nodes,
    edges: [],
    entry: undefined,
    exits: [],
  });
}

function toolPart(tool: Members, steps: Steps): Part {
  const type = text(tool["toolType"]) || "worker";
  const icon =
    type === "worker" ? "worker" : type === "human" ? "human" : /http|api|mcp/.test(type) ? "remote" : "tool";
  const needsApproval = tool["approvalRequired"] === true;
  return { icon, note: needsApproval ? `${type}, needs approval` : type, steps, needsApproval };
}

function partBlock(label: string, part: Part): Block {
  const node = partNode(label, part);
  const { width, height, id } = node;
  return { width, height, nodes: [node], edges: [], entry: id, exits: [{ id, isTaken: false }] };
}

const partNode = (label: string, part: Part): DiagramNode => ({
  id: `/${part.steps.join("/")}`,
  kind: "part",
  x: 0,
  y: 0,
  width: TASK_WIDTH,
  height: TASK_HEIGHT,
  label,
  entry: undefined,
  task: undefined,
  part,
});

/** The agent that a tool is. */
function agentOf(tool: Members): Members | undefined {
  const inner = members(tool["config"])["agentConfig"];
  return isObject(inner) ? inner : undefined;
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const members = (value: unknown): Members => (isObject(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
