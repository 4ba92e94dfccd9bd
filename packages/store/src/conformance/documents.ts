import { describe, expect, test } from "vitest";
import type { DocumentPage, DocumentPut, TransitionUnit } from "../port.ts";
import { aHead, aStart, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

export function describeDocuments({ store, open }: Subject): void {
  const document = (collection: string, id: string, body: string, mustBeNew = false): DocumentPut => ({
    collection,
    id,
    body,
    mustBeNew,
  });
  const put = (...documents: readonly DocumentPut[]) => ({ kind: "put-documents", documents }) as const;
  const everything = { start: 0, limit: 100 };

  describe("documents", () => {
    test("are found by collection and id, and outlive a restart", async () => {
      const opened = await open();
      await done(opened.store, put(document("c", "b", "2"), document("c", "a", "1"), document("d", "a", "3")));
      await done(opened.store, put(document("c", "b", "4")));
      const { documents } = await opened.reopen();
      expect(await documents.find("c", "b")).toBe("4");
      expect(await documents.find("c", "z")).toBeUndefined();
      expect(await documents.list("c", everything)).toEqual([
        { id: "a", body: "1" },
        { id: "b", body: "4" },
      ]);
      expect(await documents.list("c", { start: 1, limit: 1 })).toEqual([{ id: "b", body: "4" }]);
      expect([await documents.count("c"), await documents.count("d"), await documents.count("e")]).toEqual([2, 1, 0]);
    });

    test("are listed from an id on, and the last first", async () => {
      const collection = newName("c");
      await done(store(), put(...["a", "B", "c", "d"].map((id) => document(collection, id, id))));
      const ids = async (page: Partial<DocumentPage>) =>
        (await store().documents.list(collection, { ...everything, ...page })).map(({ id }) => id);
      expect(await ids({})).toEqual(["B", "a", "c", "d"]);
      expect(await ids({ from: "b" })).toEqual(["c", "d"]);
      expect(await ids({ from: "a", lastFirst: true })).toEqual(["d", "c", "a"]);
      expect(await ids({ lastFirst: true, start: 1, limit: 2 })).toEqual(["c", "a"]);
    });

    test("are deleted one by one, or a collection at once", async () => {
      const [one, other] = [newName("c"), newName("c")];
      await done(store(), put(...["a", "b", "c"].map((id) => document(one, id, "{}")), document(other, "a", "{}")));
      await done(store(), { kind: "delete-documents", collection: one, ids: ["a", "z"] });
      expect((await store().documents.list(one, everything)).map(({ id }) => id)).toEqual(["b", "c"]);
      await done(store(), { kind: "delete-documents", collection: one, ids: "all" });
      expect([await store().documents.count(one), await store().documents.count(other)]).toEqual([0, 1]);
    });

    test("one that must be new is refused with everything that came with it", async () => {
      const collection = newName("c");
      await done(store(), put(document(collection, "a", "1", true)));
      const again = put(document(collection, "b", "2"), document(collection, "a", "2", true));
      expect(await store().commit(again)).toEqual(conflictOf("exists"));
      expect(await store().documents.list(collection, everything)).toEqual([{ id: "a", body: "1" }]);
    });

    test("one that was changed meanwhile is not replaced, nor is one that is not there", async () => {
      const collection = newName("c");
      const replacing = (id: string, body: string, replaces: string) =>
        put({ ...document(collection, id, body), replaces });
      await done(store(), put(document(collection, "a", "1")));
      await done(store(), replacing("a", "2", "1"));
      expect(await store().commit(replacing("a", "3", "1"))).toEqual(conflictOf("document"));
      expect(await store().commit(replacing("b", "1", "1"))).toEqual(conflictOf("document"));
      expect(await store().documents.list(collection, everything)).toEqual([{ id: "a", body: "2" }]);
    });

    test("come with events of nobody's, once", async () => {
      const [collection, sender] = [newName("c"), newName("sender")];
      const unit: TransitionUnit = {
        kind: "transition",
        changes: undefined,
        defs: [],
        consumes: [],
        idempotency: undefined,
        slot: undefined,
        sends: [{ sender, n: 0, target: "t", body: "{}" }],
        logs: [],
        documents: [document(collection, "message", "{}", true), document(collection, "record", "{}")],
      };
      const sent = async () => (await store().undelivered(10_000)).filter((row) => row.sender === sender).length;
      await done(store(), unit);
      expect(await store().commit({ ...unit, sends: [{ sender, n: 1, target: "t", body: "{}" }] })).toEqual(
        conflictOf("exists"),
      );
      expect([await sent(), await store().documents.count(collection)]).toEqual([1, 2]);
      await done(store(), { ...unit, consumes: [{ sender, n: 0 }], sends: [], documents: [] });
      expect(await sent()).toBe(0);
    });

    test("stand and fall with the transition and the removal they come with", async () => {
      const collection = newName("c");
      const head = aHead();
      const note = document(collection, head.id, "{}", true);
      await done(store(), { ...aStart(head), documents: [note] });
      expect(await store().documents.find(collection, head.id)).toBe("{}");
      const second = aHead();
      expect(await store().commit({ ...aStart(second), documents: [note] })).toEqual(conflictOf("exists"));
      expect(await store().executions.head(second.id)).toBeUndefined();
      const remove = { kind: "remove-execution", id: head.id, keepsSearchRow: false } as const;
      expect(await store().commit({ ...remove, documents: [note] })).toEqual(conflictOf("exists"));
      expect(await store().executions.head(head.id)).toBeDefined();
      await done(store(), { ...remove, documents: [document(collection, "gone", "{}", true)] });
      expect(await store().documents.count(collection)).toBe(2);
    });
  });
}
