import fc from "fast-check";
import { expect, test } from "vitest";
import { SlotHeap, type Timed } from "./slot-heap.ts";

type Item = Timed & { readonly id: number };

test("whatever is added, moved and taken out, the rest comes out in order and nothing is lost", () => {
  const step = fc.record({
    kind: fc.constantFrom("add", "add", "move", "remove", "take"),
    at: fc.nat(50),
    pick: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new SlotHeap<Item>();
      const inside = new Set<Item>();
      const byTime = (a: number, b: number) => a - b;
      for (const [id, { kind, at, pick }] of steps.entries()) {
        const some = [...inside][pick % Math.max(1, inside.size)];
        if (kind === "add") {
          const item = { id, fireAt: at, place: -1 };
          heap.add(item);
          inside.add(item);
        } else if (kind === "take") {
          const due = heap.takeDue(at);
          const expected = [...inside].filter(({ fireAt }) => fireAt <= at);
          expect(due.map(({ fireAt }) => fireAt)).toEqual(expected.map(({ fireAt }) => fireAt).sort(byTime));
          for (const item of due) expect(inside.delete(item)).toBe(true);
        } else if (some !== undefined && kind === "remove") {
          heap.remove(some);
          heap.remove(some);
          inside.delete(some);
        } else if (some !== undefined) {
          heap.remove(some);
          some.fireAt = at;
          heap.add(some);
        }
        expect(heap.first?.fireAt).toBe([...inside].map(({ fireAt }) => fireAt).sort(byTime)[0]);
      }
    }),
  );
});
