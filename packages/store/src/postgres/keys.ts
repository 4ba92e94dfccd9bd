import type { DocumentPut, ScheduleCursor, Taking, Unit } from "../port.ts";

/** What is written: units of callers, and work that is handed out without anyone knowing it beforehand. */
export type Writing = Unit | (Taking & { readonly kind: "take" });

/**
 * What a unit's guards stand on. Units that share one are never in the same group nor under way at once: they are written
 * in the order they were given, and each sees what the one before it did.
 */
export function keysOf(unit: Writing): readonly string[] {
  switch (unit.kind) {
    case "transition": {
      const { changes, consumes, idempotency, documents, run } = unit;
      const isPlain = idempotency === undefined && documents === undefined && run === undefined;
      if (changes !== undefined && consumes.length === 0 && isPlain) return [changes.id];
      const keys = [...documentKeys(documents), ...consumes.map(({ sender, n }) => `outbox ${sender} ${n}`)];
      if (changes !== undefined) keys.push(changes.id);
      if (run !== undefined) keys.push(cursorKey(run));
      if (idempotency !== undefined) keys.push(`key ${idempotency.name} ${idempotency.key}`);
      return keys;
    }
    case "claim":
    case "work":
      return [`${unit.id} ${unit.no}`];
    case "remove-execution":
      return [unit.id, ...documentKeys(unit.documents)];
    case "purge-epoch":
      return [unit.id];
    case "put-workflow-def":
      return [`workflow ${unit.def.name}`];
    case "delete-workflow-def":
      return [`workflow ${unit.name}`];
    case "put-task-defs":
      return unit.defs.map(({ name }) => `task ${name}`);
    case "delete-task-def":
      return [`task ${unit.name}`];
    case "put-documents":
      return documentKeys(unit.documents);
    case "delete-documents": {
      const { collection, ids } = unit;
      return ids === "all" ? [] : ids.map((id) => `document ${collection} ${id}`);
    }
    case "take":
      return [`queue ${unit.queue}`];
    case "schedule-run":
      return [cursorKey(unit.run)];
    case "skip-slots":
      return [cursorKey(unit.cursor)];
    case "forget-cursors":
    case "trim-runs":
    case "expire-runs":
    case "logs":
      return [];
  }
}

/** Its keys cannot be told: it is written alone, after everything before it and before everything after it. */
export const isAlone = (unit: Writing): boolean => unit.kind === "delete-documents" && unit.ids === "all";

export const cursorKey = ({ schedule, entry }: ScheduleCursor): string => `schedule ${entry} ${schedule}`;

const documentKeys = (documents: readonly DocumentPut[] = []): string[] =>
  documents.map(({ collection, id }) => `document ${collection} ${id}`);
