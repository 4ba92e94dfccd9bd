import { describe, expect, test } from "vitest";
import type { TaskEntry, TaskState } from "../api/types.ts";
import { BRANCHES_PER_PAGE, CHILDREN_PER_PAGE, type DiagramView, layOut } from "./layout.ts";
import { toProgress } from "./progress.ts";

const simple = (ref: string): TaskEntry => ({ name: ref, taskReferenceName: ref, type: "SIMPLE" });
const untouched: DiagramView = { collapsed: new Map(), pages: new Map() };

let seq = 0;
function task(referenceTaskName: string, more: Partial<TaskState> = {}): TaskState {
  seq += 1;
  return {
    workflowId: "w",
    taskId: `${referenceTaskName}#${seq}`,
    referenceTaskName,
    taskType: "SIMPLE",
    taskDefName: referenceTaskName,
    status: "COMPLETED",
    seq,
    retryCount: 0,
    iteration: 0,
    scheduledTime: 1,
    startTime: 2,
    endTime: 3,
    updateTime: 3,
    ...more,
  };
}

function lay(entries: readonly TaskEntry[], tasks: readonly TaskState[] = [], view = untouched) {
  const diagram = layOut(entries, toProgress(entries, tasks), view, false);
  return { ...diagram, lines: diagram.edges.map(({ from, to, isTaken }) => `${from}>${to}${isTaken ? "!" : ""}`) };
}

const aSwitch: TaskEntry = {
  ...simple("sw"),
  type: "SWITCH",
  decisionCases: { a: [simple("x"), simple("y")], b: [] },
};

describe("the diagram of a definition", () => {
  test("a sequence is a line from start to end", () => {
    expect(lay([simple("a"), simple("b")]).lines.sort()).toEqual(["a>b", "b>end", "start>a"]);
  });

  test("the taken path of a switch is marked, and only that", () => {
    const { lines } = lay([aSwitch, simple("z")], [task("sw"), task("x"), task("y"), task("z")]);
    expect(lines).toContain("sw>x!");
    expect(lines).toContain("y>z!");
    expect(lines).toContain("sw>z");
    expect(lines).toContain("start>sw!");
  });

  test("what matches no case goes straight on", () => {
    expect(lay([aSwitch, simple("z")], [task("sw"), task("z")]).lines).toContain("sw>z!");
  });

  test("branches of a fork meet at the join, and none lies on another", () => {
    const fork: TaskEntry = {
      ...simple("f"),
      type: "FORK_JOIN",
      forkTasks: [[simple("a")], [simple("b"), simple("c")]],
    };
    const { lines, nodes } = lay([fork, { ...simple("j"), type: "JOIN" }]);
    expect(lines).toEqual(expect.arrayContaining(["f>a", "f>b", "b>c", "a>j", "c>j"]));
    for (const one of nodes) {
      for (const other of nodes) {
        if (one === other) continue;
        const isApart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(isApart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
  });

  test("a large fork shows a page of its branches", () => {
    const forkTasks = Array.from({ length: 30 }, (_, i) => [simple(`b${i}`)]);
    const { nodes } = lay([{ ...simple("f"), type: "FORK_JOIN", forkTasks }]);
    expect(nodes.filter(({ id }) => id.startsWith("b"))).toHaveLength(BRANCHES_PER_PAGE);
    expect(nodes.find(({ id }) => id === "f")?.pages).toMatchObject({ page: 0, count: 4 });
  });

  test("a loop shows its latest iteration, or the one the reader turned to", () => {
    const loop: TaskEntry = { ...simple("l"), type: "DO_WHILE", loopOver: [simple("a")] };
    const tasks = [
      task("l", { iteration: 2 }),
      task("a__1", { iteration: 1 }),
      task("a__2", { iteration: 2, status: "FAILED" }),
    ];
    const shown = (view: DiagramView) =>
      lay([loop], tasks, view).nodes.find(({ label }) => label === "a")?.task?.status;
    expect(shown(untouched)).toBe("FAILED");
    expect(shown({ ...untouched, pages: new Map([["l", 0]]) })).toBe("COMPLETED");
  });

  test("a loop in a loop turns on its own", () => {
    const inner: TaskEntry = { ...simple("in"), type: "DO_WHILE", loopOver: [simple("a")] };
    const outer: TaskEntry = { ...simple("out"), type: "DO_WHILE", loopOver: [inner] };
    const tasks = ["in__1", "a__1__1", "a__1__2", "in__2", "a__2__1"].map((name) => task(name, { iteration: 1 }));
    const { nodes } = lay([outer], tasks);
    expect(nodes.find(({ label }) => label === "out")?.pages).toMatchObject({ page: 1, count: 2 });
    expect(nodes.find(({ label }) => label === "in")?.pages).toMatchObject({ page: 0, count: 1 });
  });

  test("ten thousand tasks of a dynamic fork are a page of nodes", () => {
    const entries: TaskEntry[] = [
      { ...simple("f"), type: "FORK_JOIN_DYNAMIC" },
      { ...simple("j"), type: "JOIN" },
    ];
    const tasks = [task("f"), ...Array.from({ length: 10_000 }, (_, i) => task(`child${i}`)), task("j")];
    const { nodes } = lay(entries, tasks);
    expect(nodes.filter(({ label }) => label.startsWith("child"))).toHaveLength(CHILDREN_PER_PAGE);
    expect(nodes.find(({ id }) => id === "f")?.children).toHaveLength(10_000);
  });

  test("two dynamic forks in a row keep their tasks apart, retries too", () => {
    const fork = (ref: string): TaskEntry => ({ ...simple(ref), type: "FORK_JOIN_DYNAMIC" });
    const tasks = [task("f"), task("a", { status: "FAILED" }), task("b"), task("a"), task("g"), task("c")];
    const { nodes } = lay([fork("f"), fork("g")], tasks);
    const made = (id: string) => nodes.find((node) => node.id === id)?.children?.map((one) => one.taskId.split("#")[0]);
    expect(made("f")).toEqual(["a", "b"]);
    expect(made("g")).toEqual(["c"]);
  });

  test("a later attempt takes the place of the earlier", () => {
    const { nodes } = lay([simple("a")], [task("a", { status: "FAILED" }), task("a", { retryCount: 1 })]);
    expect(nodes.find(({ id }) => id === "a")?.task?.status).toBe("COMPLETED");
  });
});
