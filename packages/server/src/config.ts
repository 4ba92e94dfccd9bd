import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parseConfigFile } from "./config-file.ts";
import {
  type ConfigKey,
  findEntry,
  findEntryByVariable,
  findRecordField,
  hasNoEffect,
  type KnownEntry,
  rankSpelling,
  suggestKey,
} from "./config-names.ts";
import { type Config, configTable } from "./config-table.ts";
import { type ConfigValue, describeType, formatValue, parseValue } from "./config-values.ts";

export { type Config, configTable };

export interface ConfigInputs {
  /** The arguments after the program: `--db.type=sqlite`, `--service.db.type sqlite`, `--config path`. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Gives undefined when there is no such file. */
  readonly readFile?: (path: string) => string | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Things worth saying at start that do not keep the server from starting. */
  readonly warnings: readonly string[];
  /** Where each value comes from, in words. */
  readonly sources: Readonly<Record<ConfigKey, string>>;
}

/** Every problem of the configuration at once, one a line. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Puts the configuration together: flags win over the environment, that over the file, that over the defaults.
 * Throws ConfigError when a value is not of its type; unknown names are only warned about.
 */
export function loadConfig(inputs: ConfigInputs = {}): LoadedConfig {
  const { argv = process.argv.slice(2), env = process.env, cwd = process.cwd(), readFile = readTextFile } = inputs;
  const problems: string[] = [];
  const warnings: string[] = [];

  const flags = readFlags(argv, problems);
  const file = readConfigFile({ named: flags.configFile ?? findConfigFile(env), cwd, readFile, problems });
  const layers = [flags.settings, readEnvironment(env), file, ...readVariablesOfOthers(env)];
  const chosen = new Map<ConfigKey, Setting>();
  for (const layer of layers) {
    for (const [key, setting] of chooseSettings(layer, warnings)) {
      if (!chosen.has(key) && !isBlankForOthers(key, setting)) {
        chosen.set(key, setting);
      }
    }
  }

  const values: Record<string, ConfigValue> = {};
  const sources: Record<string, string> = {};
  for (const entry of configTable as readonly KnownEntry[]) {
    const setting = chosen.get(entry.key) ?? { name: entry.key, text: entry.default, source: "default" };
    const value = parseValue(entry, setting.text);
    if (value === undefined) {
      const found = entry.secret ? "a hidden value" : JSON.stringify(setting.text);
      problems.push(`Expected ${entry.key} (${setting.source}) to be ${describeType(entry)}, got ${found}`);
      continue;
    }
    values[entry.key] = value;
    sources[entry.key] = setting.source;
  }
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }

  // The loop above filled every key of the table with a value of its type, or a problem was thrown.
  const config = { ...(values as Config), "service.db.url": plainDatabaseUrl(values["service.db.url"] as string) };
  checkDatabase(config);
  return { config: Object.freeze(config), warnings, sources: sources as Record<ConfigKey, string> };
}

/** The effective configuration as lines to print at start: secrets masked, units added, sources named when given. */
export function describeConfig(config: Config, sources?: LoadedConfig["sources"]): string[] {
  return configTable.map((entry) => {
    const line = `${entry.key} = ${formatValue(entry, config[entry.key])}`.trimEnd();
    return sources ? `${line} (${sources[entry.key]})` : line;
  });
}

interface Setting {
  /** The name as it was written. */
  readonly name: string;
  readonly text: string | readonly string[];
  readonly source: string;
  readonly isVariable?: true;
}

/** Of each known setting the strongest spelling in one source; the unknown names become warnings. */
function chooseSettings(layer: readonly Setting[], warnings: string[]): Map<ConfigKey, Setting> {
  const chosen = new Map<ConfigKey, Setting>();
  for (const setting of gatherRecords(layer)) {
    const entry = setting.isVariable ? findEntryByVariable(setting.name) : findEntry(setting.name);
    if (entry === undefined) {
      if (!hasNoEffect(setting.name)) {
        warnings.push(describeUnknown(setting));
      }
      continue;
    }
    const other = chosen.get(entry.key);
    if (other === undefined) {
      chosen.set(entry.key, setting);
      continue;
    }
    const isStronger = rankSpelling(entry, setting.name) < rankSpelling(entry, other.name);
    const [winner, loser] = isStronger ? [setting, other] : [other, setting];
    chosen.set(entry.key, winner);
    if (String(winner.text) !== String(loser.text)) {
      warnings.push(`${entry.key} is set twice: "${winner.name}" is used, "${loser.name}" is not (${loser.source})`);
    }
  }
  return chosen;
}

/** Fields of records (`key[0].name`) become one setting per list; everything else stays as it is. */
function gatherRecords(layer: readonly Setting[]): Setting[] {
  const rest: Setting[] = [];
  const lists = new Map<
    ConfigKey,
    { readonly source: string; readonly records: Map<number, Record<string, string>> }
  >();
  for (const setting of layer) {
    const found = findRecordField(setting.name, setting.isVariable === true);
    if (found === undefined || typeof setting.text !== "string") {
      rest.push(setting);
      continue;
    }
    const list = lists.get(found.entry.key) ?? { source: setting.source, records: new Map() };
    lists.set(found.entry.key, list);
    list.records.set(found.index, { ...list.records.get(found.index), [found.field]: setting.text });
  }
  for (const [key, { source, records }] of lists) {
    const ordered = [...records].toSorted(([one], [other]) => one - other).map(([, record]) => record);
    rest.push({ name: key, text: JSON.stringify(ordered), source });
  }
  return rest;
}

function describeUnknown({ name, source }: Setting): string {
  const suggestion = suggestKey(name);
  return `Unknown setting "${name}" (${source})${suggestion ? `; did you mean "${suggestion}"?` : ""}`;
}

function readFlags(argv: readonly string[], problems: string[]): { settings: Setting[]; configFile?: string } {
  const settings = new Map<string, Setting>();
  let configFile: string | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argv[at]!) ?? [];
    if (name === undefined) {
      problems.push(`Expected arguments of the form --key=value, got "${argv[at]}"`);
      continue;
    }
    let text = inline;
    const next = argv[at + 1];
    if (text === undefined && next !== undefined && !next.startsWith("--")) {
      text = next;
      at += 1;
    }
    if (name === "config") {
      configFile = text ?? "";
    } else {
      // A flag without a value switches something on.
      settings.set(name, { name, text: text ?? "true", source: `flag --${name}` });
    }
  }
  return { settings: [...settings.values()], ...(configFile === undefined ? {} : { configFile }) };
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): Setting[] {
  const settings: Setting[] = [];
  for (const [name, text] of Object.entries(env)) {
    const isOurs = /^(service|conductor)[._]/i.test(name) || findEntryByVariable(name) !== undefined;
    if (isOurs && text !== undefined && text !== "" && !isForSomeoneElse(name, text)) {
      settings.push({ name, text, source: `environment variable ${name}`, isVariable: true });
    }
  }
  return settings;
}

/** A blank value does not stand in the way of one that comes in another tool's variable. */
function isBlankForOthers(key: ConfigKey, { text }: Setting): boolean {
  return typeof text === "string" && text.trim() === "" && findEntry(key)?.variables !== undefined;
}

/** Weaker than anything written for this server: one layer for each place in an entry's list of variables. */
function readVariablesOfOthers(env: Readonly<Record<string, string | undefined>>): Setting[][] {
  const layers: Setting[][] = [];
  for (const { key, variables = [] } of configTable as readonly KnownEntry[]) {
    for (const [index, variable] of variables.entries()) {
      const text = env[variable]?.trim() ?? "";
      if (text === "") continue;
      layers[index] ??= [];
      layers[index].push({ name: key, text, source: `environment variable ${variable}` });
    }
  }
  return layers.filter((layer) => layer !== undefined);
}

/**
 * Variables with our prefix that are not settings: secrets, the clients' own variables, and what Kubernetes injects
 * for a Service called `service…` or `conductor…` (CONDUCTOR_SERVER_PORT=tcp://10.0.0.1:8080).
 */
function isForSomeoneElse(name: string, text: string): boolean {
  return (
    /^(service|conductor)_(secret_|env_|auth_|config_file$|server_url$)/i.test(name) ||
    /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_.+)?)$/.test(name) ||
    (/_PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(text))
  );
}

function findConfigFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.SERVICE_CONFIG_FILE || env.CONDUCTOR_CONFIG_FILE || undefined;
}

interface FileRequest {
  /** What a flag or the environment asks for; without it the default file is read when it is there. */
  readonly named: string | undefined;
  readonly cwd: string;
  readonly readFile: (path: string) => string | undefined;
  readonly problems: string[];
}

function readConfigFile({ named, cwd, readFile, problems }: FileRequest): Setting[] {
  const path = named ?? "downbeat.properties";
  try {
    const text = readFile(isAbsolute(path) ? path : join(cwd, path));
    if (text === undefined) {
      if (named !== undefined) {
        problems.push(`Expected a configuration file at "${path}", found none`);
      }
      return [];
    }
    return [...parseConfigFile(path, text)].map(([name, value]) => ({ name, text: value, source: `file ${path}` }));
  } catch (error) {
    problems.push(`Expected "${path}" to ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return;
    }
    throw new Error(`be readable: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Connection texts of the reference start with `jdbc:`; those of SQLite carry driver options after the file. */
function plainDatabaseUrl(url: string): string {
  const plain = url.replace(/^jdbc:/i, "");
  return /^sqlite:/i.test(plain) ? plain.replace(/^sqlite:(\/\/)?/i, "").replace(/\?.*$/s, "") : plain;
}

function checkDatabase(config: Config): void {
  const url = config["service.db.url"];
  const isPostgresUrl = /^postgres(ql)?:\/\//i.test(url);
  if (config["service.db.type"] === "postgres" && !isPostgresUrl) {
    throw new ConfigError(["Expected service.db.url to start with postgres:// when service.db.type is postgres"]);
  }
  if (config["service.db.type"] === "sqlite" && (isPostgresUrl || url === "")) {
    throw new ConfigError(["Expected service.db.url to name a file when service.db.type is sqlite"]);
  }
}
