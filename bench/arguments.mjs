import { parseArgs } from "node:util";

/** Options of a bench program: all take a value, whose default is given; those that are numbers come as numbers. */
export function readArguments(defaults) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" }]));
  const { values } = parseArgs({ options });
  return Object.fromEntries(
    Object.entries(defaults).map(([name, usual]) => {
      const given = values[name];
      if (given === undefined || typeof usual !== "number") return [name, given ?? usual];
      if (!Number.isFinite(Number(given))) throw new Error(`Expected --${name} to be a number, got "${given}"`);
      return [name, Number(given)];
    }),
  );
}

/** The address a bench program may send load to: this machine's. */
export function loopback(address) {
  const url = new URL(address);
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) return url;
  throw new Error(`Expected a loopback address, got "${address}"`);
}

/** Process ids of a comma list. */
export const pidsOf = (list) => (list ?? "").split(",").filter(Boolean).map(Number);
