import { dbos } from "./dbos.mjs";
import { downbeatOnPostgres, downbeatOnSqlite } from "./downbeat.mjs";
import { referenceOnPostgres, referenceOnSqlite } from "./reference.mjs";
import { restate } from "./restate.mjs";

/** In the order of the tables. */
export const systems = [downbeatOnSqlite, downbeatOnPostgres, referenceOnSqlite, referenceOnPostgres, restate, dbos];

/** The systems of a comma list of names, all of them without one. */
export function chooseSystems(names) {
  if (names === undefined) return systems;
  return names.split(",").map((name) => {
    const found = systems.find((system) => system.name === name);
    if (found !== undefined) return found;
    const known = systems.map((system) => system.name).join(", ");
    throw new Error(`Expected --systems to name some of ${known}, got "${name}"`);
  });
}
