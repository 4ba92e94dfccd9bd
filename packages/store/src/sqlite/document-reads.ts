import type { DatabaseSync } from "node:sqlite";
import type { DocumentReads } from "../port.ts";

export function createDocumentReads(db: DatabaseSync): DocumentReads {
  const find = db.prepare("select body from document where collection = ? and id = ?");
  const inOrder = (order: "asc" | "desc") =>
    db.prepare(`select id, body from document where collection = ? and id >= ? order by id ${order} limit ? offset ?`);
  const [list, listBackwards] = [inOrder("asc"), inOrder("desc")];
  const count = db.prepare("select count(*) as n from document where collection = ?");
  return {
    find: (collection, id) => (find.get(collection, id) as { body: string } | undefined)?.body,
    list: (collection, { start, limit, from = "", lastFirst = false }) =>
      (lastFirst ? listBackwards : list).all(collection, from, limit, start) as { id: string; body: string }[],
    count: (collection) => (count.get(collection) as { n: number }).n,
  };
}
