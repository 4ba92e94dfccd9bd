import type { JsonObject } from "@downbeat/engine";
import type { FoundDocument, IndexedDocument, Place, VectorStore } from "./port.ts";

export type PostgresOptions = {
  /** `postgres://user:password@host:port/db`. */
  readonly url: string;
  readonly dimensions: number;
  readonly poolSize: number;
  readonly indexingMethod: "hnsw" | "ivfflat";
  readonly distanceMetric: DistanceMetric;
  readonly invertedListCount: number;
  readonly tablePrefix: string | undefined;
};

export type DistanceMetric = "l2" | "cosine" | "inner_product";

const metrics: Readonly<Record<DistanceMetric, { readonly operator: string; readonly operatorClass: string }>> = {
  l2: { operator: "<->", operatorClass: "vector_l2_ops" },
  cosine: { operator: "<=>", operatorClass: "vector_cosine_ops" },
  inner_product: { operator: "<#>", operatorClass: "vector_ip_ops" },
};

/** Longer vectors cannot be indexed: they are searched exactly. */
const MOST_INDEXED = 2000;

const UNDEFINED_TABLE = "42P01";
/** Another node makes the same table or index at this moment. */
const racing: ReadonlySet<unknown> = new Set(["42P07", "23505"]);

/** PostgreSQL with pgvector: a table per namespace, made with its first document. The score is the distance, lower is better. */
export async function openPostgres(options: PostgresOptions): Promise<VectorStore> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 30_000,
  });
  // An idle connection that breaks is replaced; whoever uses a broken one hears of it.
  pool.on("error", () => undefined);
  const { operator, operatorClass } = metrics[options.distanceMetric];
  const made = new Set<string>();

  const nameOf = ({ namespace }: Place): string =>
    options.tablePrefix === undefined ? namespace : `${options.tablePrefix}_${namespace}`;
  const tableOf = (place: Place): string => quote(nameOf(place));

  async function makeTable(place: Place): Promise<void> {
    const key = `${nameOf(place)} ${place.index}`;
    if (made.has(key)) return;
    try {
      await pool.query(
        `create table if not exists ${tableOf(place)} (
           id varchar(255) primary key, parent_doc_id varchar(255), embedding vector(${options.dimensions}), doc text,
           metadata text)`,
      );
      if (options.dimensions <= MOST_INDEXED) await makeIndex(place);
    } catch (error) {
      if (!racing.has(codeOf(error))) throw error;
    }
    made.add(key);
  }

  async function makeIndex(place: Place): Promise<void> {
    const lists = options.indexingMethod === "ivfflat" ? ` with (lists = ${options.invertedListCount})` : "";
    await pool.query(
      `create index if not exists ${quote(await indexNameOf(place))} on ${tableOf(place)}
         using ${options.indexingMethod} (embedding ${operatorClass})${lists}`,
    );
  }

  /** Names of indexes are the schema's, not the table's: a second namespace of the same index needs another. */
  async function indexNameOf(place: Place): Promise<string> {
    const { rows } = await pool.query<{ readonly tablename: string }>(
      "select tablename from pg_indexes where schemaname = current_schema() and indexname = $1",
      [place.index],
    );
    const owner = rows[0]?.tablename;
    return owner === undefined || owner === nameOf(place) ? place.index : `${nameOf(place)}_${place.index}`;
  }

  return {
    async put(place, documents) {
      for (const { embedding } of documents) checkDimensions(embedding, options.dimensions);
      await makeTable(place);
      await pool.query(
        `insert into ${tableOf(place)} (id, parent_doc_id, embedding, doc, metadata)
         select id, parent_doc_id, embedding::vector, doc, metadata
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
           as given (id, parent_doc_id, embedding, doc, metadata)
         on conflict (id) do update set parent_doc_id = excluded.parent_doc_id, embedding = excluded.embedding,
           doc = excluded.doc, metadata = excluded.metadata`,
        columnsOf(documents),
      );
    },
    async search(place, { embedding, limit }) {
      checkDimensions(embedding, options.dimensions);
      try {
        const { rows } = await pool.query(
          `select id, parent_doc_id, doc, metadata, embedding ${operator} $1::vector as score
           from ${tableOf(place)} order by embedding ${operator} $1::vector limit $2`,
          [literal(embedding), limit],
        );
        return rows.map(toFound);
      } catch (error) {
        if (codeOf(error) === UNDEFINED_TABLE) return [];
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

function checkDimensions(embedding: readonly number[], dimensions: number): void {
  if (embedding.length !== dimensions) throw new Error(`Embeddings must be of dimensions : ${dimensions}`);
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const literal = (embedding: readonly number[]): string => `[${embedding.join(",")}]`;

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** One document per id, the last one: a statement cannot write a row twice. */
function columnsOf(documents: readonly IndexedDocument[]): string[][] {
  const last = [...new Map(documents.map((document) => [document.id, document])).values()];
  return [
    last.map(({ id }) => id),
    last.map(({ parentId }) => parentId),
    last.map(({ embedding }) => literal(embedding)),
    // A text of PostgreSQL cannot hold them; as JSON they are written out.
    last.map(({ text }) => text.replaceAll("\0", "")),
    last.map(({ metadata }) => JSON.stringify(metadata)),
  ];
}

type Row = {
  readonly id: string;
  readonly parent_doc_id: string | null;
  readonly doc: string | null;
  readonly metadata: string | null;
  readonly score: number;
};

const toFound = ({ id, parent_doc_id, doc, metadata, score }: Row): FoundDocument => ({
  docId: id,
  parentDocId: parent_doc_id ?? "",
  text: doc ?? "",
  score,
  metadata: readMetadata(metadata),
});

/** Rows that others wrote may hold anything. */
function readMetadata(text: string | null): JsonObject {
  try {
    return JSON.parse(text ?? "{}") as JsonObject;
  } catch {
    return { metadata: text };
  }
}
