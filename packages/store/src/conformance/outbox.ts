import { describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** Events on their way, logs, and the output cache: what transitions leave beside executions. */
export function describeOutbox({ store, open }: Subject): void {
  describe("outbox, logs and cache", () => {
    test("events that were committed and not consumed are undelivered, oldest first", async () => {
      const opened = await open();
      const [one, other] = [aHead(), aHead()];
      const row = (sender: string, n: number) => ({ sender, n, target: other.id, body: `{"n":"${n}\u00e9"}` });
      const first = row(other.id, 100_000);
      const rest = [row(one.id, 200_000), row(one.id, 200_001)];
      await done(opened.store, aStart(other, {}, { sends: [first] }), aStart(one, {}, { sends: rest }));
      expect(await opened.store.undelivered(10)).toEqual([first, ...rest]);
      expect(await opened.store.undelivered(2)).toEqual([first, rest[0]]);
      await done(opened.store, aStep(other, {}, { consumes: [{ sender: first.sender, n: first.n }] }));
      expect(await opened.store.undelivered(10)).toEqual(rest);
      expect(await (await opened.reopen()).undelivered(10)).toEqual(rest);
    });

    test("one unit may consume many events and send many", async () => {
      const opened = await open();
      const head = aHead();
      const sends = Array.from({ length: 3000 }, (_, n) => ({ sender: head.id, n, target: head.id, body: "{}" }));
      await done(opened.store, aStart(head, {}, { sends }));
      expect(await opened.store.undelivered(5000)).toHaveLength(3000);
      await done(opened.store, aStep(head, {}, { consumes: sends.map(({ sender, n }) => ({ sender, n })) }));
      expect(await opened.store.undelivered(5000)).toEqual([]);
    });

    test("log lines come by time, and those of one moment in the order they were written", async () => {
      const head = aHead();
      await done(
        store(),
        aStart(
          head,
          { newTasks: [aTask(1)], logs: [{ no: 1, at: 50, line: "engine" }] },
          {
            logs: [{ no: 1, at: 50, line: "result" }],
          },
        ),
        {
          kind: "logs",
          lines: [
            { executionId: head.id, no: 1, at: 70, line: "last" },
            { executionId: head.id, no: 1, at: 50, line: "" },
            { executionId: head.id, no: 2, at: 10, line: "of another task" },
            { executionId: head.id, no: 1, at: 40, line: "\u0000first\u2028" },
          ],
        },
      );
      expect((await store().logs(head.id, 1)).map(({ at, line }) => [at, line])).toEqual([
        [40, "\u0000first\u2028"],
        [50, "engine"],
        [50, "result"],
        [50, ""],
        [70, "last"],
      ]);
    });

    test("a log line of a megabyte comes back", async () => {
      const head = aHead();
      const line = "l".repeat(1_000_000);
      await done(store(), { kind: "logs", lines: [{ executionId: head.id, no: 1, at: 1, line }] });
      expect((await store().logs(head.id, 1))[0]?.line).toBe(line);
    });

    test("a cached output is found until it expires, and the last one counts", async () => {
      const head = aHead();
      const key = newName("key");
      const put = (text: string, expiresAt: number) => ({ cachePuts: [{ key, text, expiresAt }] });
      await done(store(), aStart(head, put('{"a":1}', 5000)));
      expect(await store().findCached(key, 4999)).toBe('{"a":1}');
      expect(await store().findCached(key, 5000)).toBeUndefined();
      await done(store(), aStep(head, put('{"a":2}', 9000)));
      expect(await store().findCached(key, 5000)).toBe('{"a":2}');
      expect(await store().findCached(newName("key"), 1)).toBeUndefined();
    });
  });
}
