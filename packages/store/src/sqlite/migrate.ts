import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openConnection } from "./connection.ts";

const folder = fileURLToPath(new URL("./schema/", import.meta.url));

/** Brings the file to the newest schema. Migrations are numbered, forward only, each in one transaction. */
export function migrate(path: string): void {
  const db = openConnection(path);
  try {
    const { user_version: current } = db.prepare("pragma user_version").get() as { user_version: number };
    const migrations = readdirSync(folder)
      .filter((name) => /^\d{4}-.+\.sql$/.test(name))
      .sort()
      .map((name) => ({ name, number: Number(name.slice(0, 4)) }));
    const newest = migrations.at(-1)?.number ?? 0;
    if (current > newest) {
      throw new Error(
        `Expected a database of schema ${newest} or older, got schema ${current}: it was written by a newer version`,
      );
    }
    for (const { name, number } of migrations) {
      if (number <= current) continue;
      db.exec(
        `begin immediate;\n${readFileSync(`${folder}${name}`, "utf8")}\npragma user_version = ${number};\ncommit;`,
      );
    }
  } finally {
    db.close();
  }
}
