import { describe, expect, test } from "vitest";
import { aHead, aStart, aStep, conflictOf, done } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

const message = (n: number) => ({ n, text: `{"n":${n},"text":"${"x".repeat(500)}\\u0000"}` });

export function describeMessages({ store, open }: Subject): void {
  describe("messages", () => {
    test("are read in order, and go when the execution has taken them", async () => {
      const [head, other] = [aHead(), aHead()];
      await done(
        store(),
        aStart(head, { messages: { puts: [message(1), message(2), message(3)], from: 0 } }),
        aStart(other, { messages: { puts: [message(1)], from: 0 } }),
      );
      const { executions } = store();
      expect(await executions.messages(head.id, 1, 3)).toEqual([message(1).text, message(2).text]);
      await done(store(), aStep(head, { messages: { puts: [message(4)], from: 3 } }));
      expect(await executions.messages(head.id, 0, 100)).toEqual([message(3).text, message(4).text]);
      expect(await executions.messages(other.id, 0, 100)).toEqual([message(1).text]);
    });

    test("stand and fall with the transition that brings them, and outlive a restart", async () => {
      const opened = await open();
      const head = aHead();
      await done(opened.store, aStart(head, { messages: { puts: [message(1)], from: 0 } }));
      const stale = aStep({ ...head, rev: 7 }, { messages: { puts: [message(2)], from: 2 } });
      expect(await opened.store.commit(stale)).toEqual(conflictOf("revision"));
      const again = await opened.reopen();
      expect(await again.executions.messages(head.id, 0, 100)).toEqual([message(1).text]);
    });

    test("go with their execution", async () => {
      const head = aHead();
      await done(store(), aStart(head, { messages: { puts: [message(1), message(2)], from: 0 } }));
      await done(store(), { kind: "remove-execution", id: head.id, keepsSearchRow: true });
      expect(await store().executions.messages(head.id, 0, 100)).toEqual([]);
    });
  });
}
