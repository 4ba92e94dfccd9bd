import type { DocumentReads } from "../port.ts";
import type { Reads } from "./reader.ts";
import { plainText, safeText } from "./text.ts";

const statements = {
  find: { name: "document", text: "select x.body from document x where x.collection = $1 and x.id = $2" },
  list: {
    name: "documents",
    text: "select x.id, x.body from document x where x.collection = $1 and x.id >= $2 order by x.id limit $3 offset $4",
  },
  listBackwards: {
    name: "documentsBackwards",
    text: "select x.id, x.body from document x where x.collection = $1 and x.id >= $2 order by x.id desc limit $3 offset $4",
  },
  count: { name: "countDocuments", text: "select count(*) as n from document x where x.collection = $1" },
} as const;

export function createDocumentReads(reader: Reads): DocumentReads {
  return {
    async find(collection, id) {
      return (await reader.first<{ body: string }>(statements.find, [safeText(collection), safeText(id)]))?.body;
    },
    async list(collection, { start, limit, from = "", lastFirst = false }) {
      const values = [safeText(collection), safeText(from), limit, start];
      const statement = lastFirst ? statements.listBackwards : statements.list;
      const rows = await reader.all<{ id: string; body: string }>(statement, values);
      return rows.map(({ id, body }) => ({ id: plainText(id), body }));
    },
    async count(collection) {
      return (await reader.first<{ n: number }>(statements.count, [safeText(collection)]))?.n ?? 0;
    },
  };
}
