import { normalizeTaskDef, normalizeWorkflowDef } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { aHead, aStart, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

export function describeDefinitions({ store, open }: Subject): void {
  const workflow = (name: string, version: number, description = "") =>
    normalizeWorkflowDef({ name, version, description, tasks: [] });
  const task = (name: string, description = "") => normalizeTaskDef({ name, description });

  describe("definitions", () => {
    test("workflow definitions come by name, then version, as they were put", async () => {
      const opened = await open();
      const defs = [workflow("b", 1), workflow("a", 10), workflow("a", 9, 'with "quotes" and \u0000 and \u{1F600}')];
      for (const def of defs) await done(opened.store, { kind: "put-workflow-def", def, mustBeNew: true });
      expect(await opened.store.definitions.workflowDefs()).toEqual([defs[2], defs[1], defs[0]]);
      expect(await (await opened.reopen()).definitions.workflowDefs()).toEqual([defs[2], defs[1], defs[0]]);
    });

    test("a definition that must be new is refused when its name and version exist", async () => {
      const opened = await open();
      const first = workflow("a", 1, "first");
      const put = (description: string, mustBeNew: boolean) =>
        opened.store.commit({ kind: "put-workflow-def", def: workflow("a", 1, description), mustBeNew });
      expect(await Promise.all([put("first", true), put("second", true)])).toEqual([
        { kind: "done" },
        conflictOf("exists"),
      ]);
      expect(await opened.store.definitions.workflowDefs()).toEqual([first]);
      expect(await put("third", false)).toEqual({ kind: "done" });
      expect(await opened.store.definitions.workflowDefs()).toEqual([workflow("a", 1, "third")]);
    });

    test("a definition is deleted once", async () => {
      const opened = await open();
      await done(opened.store, { kind: "put-workflow-def", def: workflow("a", 1), mustBeNew: true });
      await done(opened.store, { kind: "put-workflow-def", def: workflow("a", 2), mustBeNew: true });
      const remove = { kind: "delete-workflow-def", name: "a", version: 1 } as const;
      await done(opened.store, remove);
      expect(await opened.store.commit(remove)).toEqual(conflictOf("exists"));
      expect(await opened.store.definitions.workflowDefs()).toEqual([workflow("a", 2)]);
    });

    test("task definitions are put together, replaced and deleted by name", async () => {
      const opened = await open();
      await done(opened.store, { kind: "put-task-defs", defs: [task("b"), task("a")] });
      await done(opened.store, { kind: "put-task-defs", defs: [task("b", "new")] });
      expect(await opened.store.definitions.taskDefs()).toEqual([task("a"), task("b", "new")]);
      await done(opened.store, { kind: "delete-task-def", name: "a" });
      expect(await opened.store.commit({ kind: "delete-task-def", name: "a" })).toEqual(conflictOf("exists"));
      expect(await opened.store.definitions.taskDefs()).toEqual([task("b", "new")]);
    });

    test("a pinned definition stays as it was first stored", async () => {
      const hash = newName("hash");
      await done(store(), aStart(aHead(), {}, { defs: [{ hash, body: '{"first":true}' }] }));
      await done(store(), aStart(aHead(), {}, { defs: [{ hash, body: '{"first":false}' }] }));
      expect(await store().definitions.pinned(hash)).toBe('{"first":true}');
      expect(await store().definitions.pinned(newName("hash"))).toBeUndefined();
    });
  });
}
