import { describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, done } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

const text = (length: number, letter = "x"): string => `"${letter.repeat(length - 2)}"`;

const samples: readonly [name: string, json: string][] = [
  ["the empty object", "{}"],
  ["an empty text", '""'],
  ["null", "null"],
  ["400 characters", text(400)],
  ["401 characters", text(401)],
  ["400 characters of four bytes each", text(400, "\u{1F600}")],
  ["two megabytes", text(2_000_000)],
  ["escaped control characters", JSON.stringify({ "\u0000": "\u0000\u0001\u001f" })],
  ["escaped control characters, large", JSON.stringify({ text: "\u0000".repeat(500) })],
  ["escaped lone surrogates", JSON.stringify({ high: "\ud800", low: "\udc00x" })],
  ["line separators and quotes", JSON.stringify({ text: "\u2028\u2029'\"\\\r\n\t$1 ?1 --" })],
  ["numbers as they were written", '{"a":1.0,"b":1e400,"c":12345678901234567890}'],
  ["spaces as they were written", '{ "a" : 1 }'],
];

/** Payload text comes back as it was, whatever its size. */
export function describePayloads({ store }: Subject): void {
  describe("payloads", () => {
    for (const [name, json] of samples) {
      test(`${name} of a start comes back`, async () => {
        const head = aHead();
        const slots = ["input", "output", "variables"] as const;
        const payloads = slots.map((slot) => ({ no: 0, slot, text: json }));
        await done(store(), aStart(head, { payloads }));
        for (const slot of slots) expect((await store().executions.payload(head.id, 0, slot)).text).toBe(json);
        const whole = await store().executions.whole(head.id, { includeTasks: false });
        expect([whole?.input.text, whole?.output.text, whole?.variables.text]).toEqual([json, json, json]);
      });

      test(`${name} of a task comes back, and of a later step too`, async () => {
        const head = aHead();
        const task = aTask(1);
        const slots = ["input", "output"] as const;
        const payloads = slots.map((slot) => ({ no: 1, slot, text: json }));
        await done(store(), aStart(head, { newTasks: [task], payloads }));
        for (const slot of slots) expect((await store().executions.payload(head.id, 1, slot)).text).toBe(json);
        const own = (["input", "output", "variables"] as const).map((slot) => ({ no: 0, slot, text: json }));
        const other = `{"before":${json}}`;
        const changed = slots.map((slot) => ({ no: 1, slot, text: other }));
        await done(store(), aStep(head, { changedTasks: [task], payloads: [...own, ...changed] }));
        const whole = await store().executions.whole(head.id, { includeTasks: true });
        expect([whole?.input.text, whole?.output.text, whole?.variables.text]).toEqual([json, json, json]);
        expect(whole?.tasks.map(({ input, output }) => [input.text, output.text])).toEqual([[other, other]]);
      });
    }

    test("a payload that was never written reads as the empty object", async () => {
      const head = aHead();
      await done(store(), aStart(head, { newTasks: [aTask(1)] }));
      for (const no of [0, 1, 2]) {
        expect((await store().executions.payload(head.id, no, "input")).text).toBe("{}");
        expect((await store().executions.payload(head.id, no, "output")).text).toBe("{}");
      }
      expect((await store().executions.payload(head.id, 0, "variables")).text).toBe("{}");
    });

    test("a payload that is replaced reads as the last one, whatever the sizes", async () => {
      const sizes = [2, 900, 2, 400, 401, 5000, 4000, 10, 402];
      let head = aHead();
      await done(store(), aStart(head, { newTasks: [aTask(1)] }));
      for (const [index, size] of sizes.entries()) {
        const json = text(size, String(index));
        const slots = [
          { no: 0, slot: "output" },
          { no: 0, slot: "variables" },
          { no: 1, slot: "input" },
          { no: 1, slot: "output" },
        ] as const;
        await done(
          store(),
          aStep(head, { changedTasks: [aTask(1)], payloads: slots.map((slot) => ({ ...slot, text: json })) }),
        );
        head = { ...head, rev: head.rev + 1 };
        for (const { no, slot } of slots) expect((await store().executions.payload(head.id, no, slot)).text).toBe(json);
        const whole = await store().executions.whole(head.id, { includeTasks: true });
        expect([whole?.output.text, whole?.variables.text, whole?.tasks[0]?.output.text]).toEqual([json, json, json]);
      }
    });

    test("a step that does not name a payload leaves it as it was", async () => {
      const head = aHead();
      const payloads = (["input", "output"] as const).map((slot) => ({ no: 1, slot, text: text(1000) }));
      await done(store(), aStart(head, { newTasks: [aTask(1)], payloads }));
      await done(store(), aStep(head, { changedTasks: [aTask(1, { status: "COMPLETED" })] }));
      for (const slot of ["input", "output"] as const)
        expect((await store().executions.payload(head.id, 1, slot)).text).toBe(text(1000));
    });
  });
}
