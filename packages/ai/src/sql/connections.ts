import { type Config, type ConfigRecord, type Logger, recordField } from "@downbeat/server";
import type { SqlConnection } from "./port.ts";
import { openPostgres } from "./postgres.ts";
import { postgresUrl } from "./postgres-url.ts";
import { openSqlite } from "./sqlite.ts";

export type SqlConnections = {
  readonly find: (name: string) => SqlConnection | undefined;
  readonly close: () => Promise<void>;
};

/** The connections of the settings by name, each opened with its first statement. */
export function openConnections(config: Config, log: Logger): SqlConnections {
  const maxBytes = config["service.app.maxTaskOutputPayloadSizeThreshold"];
  const connections = new Map<string, SqlConnection>();
  for (const record of config["service.jdbc.instances"]) {
    const name = recordField(record, "name");
    try {
      if (name === undefined) throw new Error("it has no name");
      connections.set(name, open(record, maxBytes));
    } catch (error) {
      // Tasks that name it will say that it is not there.
      log.error("A connection of service.jdbc.instances cannot be used; it is left out", {
        name: name ?? "",
        error: String(error),
      });
    }
  }
  return {
    find: (name) => connections.get(name),
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

function open(record: ConfigRecord, maxBytes: number): SqlConnection {
  const url = (recordField(record, "connection.datasourceURL") ?? "").replace(/^jdbc:/i, "");
  const [, file] = /^sqlite:(?:\/\/)?(.+?)(?:\?.*)?$/is.exec(url) ?? [];
  if (file !== undefined) return openSqlite(file, maxBytes);
  if (!/^postgres(ql)?:/i.test(url)) throw new Error("connection.datasourceURL is neither postgres:// nor sqlite:");
  return openPostgres({
    url: postgresUrl(url, recordField(record, "connection.user"), recordField(record, "connection.password")),
    maximumPoolSize: count(record, "connection.maximumPoolSize", 32),
    connectionTimeoutMs: count(record, "connection.connectionTimeout", 30_000),
    idleTimeoutMs: count(record, "connection.idleTimeoutMs", 30_000),
    maxBytes,
  });
}

function count(record: ConfigRecord, name: string, otherwise: number): number {
  const text = recordField(record, name);
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${name} is no number above 0`);
}
