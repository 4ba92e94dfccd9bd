import type { DatabaseSync } from "node:sqlite";
import type { DocumentReads } from "../port.ts";

export function createDocumentReads(db: DatabaseSync): DocumentReads {
  const find = db.prepare("select body from document where collection = ? and id = ?");
  const list = db.prepare("select id, body from document where collection = ? order by id limit ? offset ?");
  const count = db.prepare("select count(*) as n from document where collection = ?");
  return {
    find: (collection, id) => (find.get(collection, id) as { body: string } | undefined)?.body,
    list: (collection, { start, limit }) => list.all(collection, limit, start) as { id: string; body: string }[],
    count: (collection) => (count.get(collection) as { n: number }).n,
  };
}
