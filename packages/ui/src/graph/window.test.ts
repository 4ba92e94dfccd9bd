import { describe, expect, test } from "vitest";
import type { TaskEntry } from "../api/types.ts";
import { layOut } from "./layout.ts";
import { toProgress } from "./progress.ts";
import { areaInSight, cut, stillFits, toBands, withMargin } from "./window.ts";

const entries = Array.from(
  { length: 1000 },
  (_, i): TaskEntry => ({ name: "step", taskReferenceName: `step_${i}`, type: "SIMPLE" }),
);
const view = { collapsed: new Map(), pages: new Map() };
const diagram = layOut(entries, toProgress(entries, []), view, false);
const nodeOf = (id: string) => {
  const node = diagram.nodes.find((one) => one.id === id);
  if (node === undefined) throw new Error(`Expected a node ${id}`);
  return node;
};

describe("a window on a large diagram", () => {
  test("has what is in it, and both ends of every line through it", () => {
    const { y } = nodeOf("step_500");
    const { nodes, edges } = cut(toBands(diagram), { left: 0, top: y, right: 100, bottom: nodeOf("step_502").y });
    expect(nodes.map(({ id }) => id).sort()).toEqual(["step_499", "step_500", "step_501", "step_502", "step_503"]);
    expect(edges.map(({ from, to }) => `${from}>${to}`)).toEqual([
      "step_499>step_500",
      "step_500>step_501",
      "step_501>step_502",
      "step_502>step_503",
    ]);
  });

  test("has a line that passes through it, though its ends are far away", () => {
    const skipping: TaskEntry = {
      name: "maybe",
      taskReferenceName: "maybe",
      type: "SWITCH",
      decisionCases: { yes: entries.slice(0, 50) },
    };
    const forked = [skipping, ...entries.slice(50, 51)];
    const wide = layOut(forked, toProgress(forked, []), view, false);
    const middle = wide.height / 2;
    const { edges } = cut(toBands(wide), { left: 0, top: middle, right: wide.width, bottom: middle + 1 });
    expect(edges.some(({ from, to }) => from === "maybe" && to === "step_50")).toBe(true);
  });

  test("is left as it is until what is in sight leaves it, or becomes a small part of it", () => {
    const size = { width: 1000, height: 800 };
    const inSight = areaInSight({ x: -100, y: -1000, zoom: 1 }, size);
    expect(inSight).toEqual({ left: 100, top: 1000, right: 1100, bottom: 1800 });
    const window = withMargin(inSight);
    expect(stillFits(window, areaInSight({ x: -100, y: -1700, zoom: 1 }, size))).toBe(true);
    expect(stillFits(window, areaInSight({ x: -100, y: -1900, zoom: 1 }, size))).toBe(false);
    expect(stillFits(window, areaInSight({ x: -50, y: -500, zoom: 0.5 }, size))).toBe(true);
    expect(stillFits(window, areaInSight({ x: 0, y: -5000, zoom: 5 }, size))).toBe(false);
  });
});
