import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { answerQuestions } from "../helpers/answer.ts";
import type { EmbeddedRequest } from "./embedded.ts";
import type { FoundDocument, IndexedDocument, Place } from "./port.ts";

const { file } = workerData as { readonly file: string };
const database = openDatabase(file);

const findCollection = database.prepare("select no, dimensions from collection where name = ? and namespace = ?");
const addCollection = database.prepare(
  "insert into collection (name, namespace, dimensions) values (?, ?, ?) returning no, dimensions",
);
const putDocument = database.prepare(
  `insert into document (collection, id, parent_id, text, metadata) values (?, ?, ?, ?, ?)
   on conflict (collection, id) do update
   set parent_id = excluded.parent_id, text = excluded.text, metadata = excluded.metadata
   returning no`,
);
const putVector = database.prepare(
  "insert into vector (no, collection, embedding) values (?, ?, ?) on conflict (no) do update set embedding = excluded.embedding",
);
const vectorsOf = database.prepare("select no, embedding from vector where collection = ?");
const documentOf = database.prepare("select id, parent_id, text, metadata from document where no = ?");

answerQuestions<EmbeddedRequest>((request) => {
  switch (request.kind) {
    case "put":
      return put(request.place, request.documents);
    case "search":
      return search(request.place, request.embedding, request.limit);
  }
});

function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const opened = new DatabaseSync(path, { timeout: 10_000 });
  // Vectors apart from their texts: a search reads all of the one and few of the other.
  opened.exec(`
    pragma page_size = 16384;
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists collection (
      no integer primary key, name text not null, namespace text not null, dimensions integer not null,
      unique (name, namespace));
    create table if not exists document (
      no integer primary key, collection integer not null, id text not null, parent_id text not null,
      text text not null, metadata text not null, unique (collection, id));
    create table if not exists vector (
      no integer primary key, collection integer not null, embedding blob not null);
    create index if not exists vector_collection on vector (collection);
  `);
  return opened;
}

type Collection = { readonly no: number; readonly dimensions: number };

function put({ index, namespace }: Place, documents: readonly IndexedDocument[]): void {
  const [first] = documents;
  if (first === undefined) return;
  database.exec("begin immediate");
  try {
    const { no, dimensions } = (findCollection.get(index, namespace) ??
      addCollection.get(index, namespace, first.embedding.length)) as Collection;
    for (const { id, parentId, text, embedding, metadata } of documents) {
      const vector = unitVector(embedding, dimensions);
      const stored = putDocument.get(no, id, parentId, text, JSON.stringify(metadata)) as { readonly no: number };
      putVector.run(stored.no, no, new Uint8Array(vector.buffer));
    }
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

/** Exact: every vector of the namespace is compared. The score is the cosine, higher is better. */
function search({ index, namespace }: Place, embedding: readonly number[], limit: number): FoundDocument[] {
  const collection = findCollection.get(index, namespace) as Collection | undefined;
  if (collection === undefined) return [];
  const wanted = unitVector(embedding, collection.dimensions);
  const best: { no: number; score: number }[] = [];
  for (const row of vectorsOf.iterate(collection.no)) {
    const { no, embedding: bytes } = row as { no: number; embedding: Uint8Array };
    const score = dot(wanted, new Float32Array(bytes.buffer, bytes.byteOffset, wanted.length));
    const worst = best.at(-1);
    if (best.length >= limit && worst !== undefined && score <= worst.score) continue;
    const at = best.findLastIndex((other) => other.score >= score) + 1;
    best.splice(at, 0, { no, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ no, score }) => {
    const row = documentOf.get(no) as { id: string; parent_id: string; text: string; metadata: string };
    return {
      docId: row.id,
      parentDocId: row.parent_id,
      text: row.text,
      score,
      metadata: JSON.parse(row.metadata) as FoundDocument["metadata"],
    };
  });
}

/** Of length one, so that the cosine is a sum of products. */
function unitVector(embedding: readonly number[], dimensions: number): Float32Array<ArrayBuffer> {
  if (embedding.length !== dimensions) throw new Error(`Embeddings must be of dimensions : ${dimensions}`);
  const vector = Float32Array.from(embedding);
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
