import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

/** PostgreSQL with pgvector itself, compiled to WebAssembly, behind its wire protocol on 127.0.0.1. */
export async function servePgvector(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const database = await PGlite.create({ extensions: { vector } });
  await database.exec("create extension vector");
  const server = new PGLiteSocketServer({ db: database, host: "127.0.0.1", port: 0, maxConnections: 10 });
  await server.start();
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres?sslmode=disable`,
    async close() {
      await server.stop();
      await database.close();
    },
  };
}
