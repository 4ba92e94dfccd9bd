import { configTable } from "./config-table.ts";
import { type ConfigEntry, describeType } from "./config-values.ts";
import { keysWithoutEffect } from "./config-without-effect.ts";

/** The text of docs/configuration.md. To write it: `node packages/server/src/config-docs.ts > docs/configuration.md`. */
export function renderConfigDocs(): string {
  const entries: readonly ConfigEntry[] = configTable;
  return `# Configuration

<!-- Generated from packages/server/src/config-table.ts: change that table, then run
     node packages/server/src/config-docs.ts > docs/configuration.md -->

Every setting has a key that starts with \`service.\`. It is looked for in this order, and the first one found is used:

1. a flag: \`--service.server.port=9090\`, or shorter \`--server.port=9090\`; a flag without a value means true;
2. an environment variable: the key in upper case with dots and dashes as underscores, \`SERVICE_SERVER_PORT=9090\`
   (dashes may also be dropped); an empty variable counts as not set;
3. the configuration file;
4. the default.

The file is the one named by \`--config\`, else by \`SERVICE_CONFIG_FILE\`, else \`downbeat.properties\` in the working
directory when there is one. A name that ends in \`.json\` is read as JSON, with the parts of a key nested or written with
dots; anything else as a properties file with a \`key=value\` on each line.

- Upper and lower case, dashes and underscores in a key make no difference: \`body-limit\`, \`bodyLimit\` and \`bodylimit\` are the same.
- \`conductor.\` is accepted for \`service.\` (and \`CONDUCTOR_\` for \`SERVICE_\`), so an existing configuration keeps working.
- Keys of AI providers may also be given in the variables that the providers' own tools read, such as \`OPENAI_API_KEY\`; a
  setting of this server wins over them.
- A key nobody knows is named in a warning at start. A value of the wrong type keeps the server from starting; all such
  values are reported together.
- Durations: \`500ms\`, \`5s\`, \`2m\`, \`1h\`, \`1d\` or \`PT30S\`. Sizes: \`512B\`, \`64KB\`, \`10MB\`, \`1GB\` (1 KB is 1024 bytes).
  A bare number is in the unit named below.
- Lists are separated by commas; in a properties file also \`key[0]=…\`, \`key[1]=…\`; in JSON an array.
- Lists of records: \`key[0].name=…\`, \`key[0].type=…\` as flags and in a properties file; \`KEY_0_NAME\` in the environment; in
  JSON an array of objects. The whole list comes from one source.

At start the server prints the effective configuration with secrets masked.

## Settings

${renderTable([["Key", "Default", "Value", "Meaning"], ...entries.map(renderRow)])}

## Secrets and environment values of workflows

These are read from the environment only, and are not settings:

${renderTable([
  ["Variable", "Read in a definition as"],
  ["`SERVICE_SECRET_<NAME>`, else `CONDUCTOR_SECRET_<NAME>`", "`${workflow.secrets.<NAME>}`"],
  ["`SERVICE_ENV_<NAME>`, else `CONDUCTOR_ENV_<NAME>`", "`${workflow.env.<NAME>}`"],
])}

## Accepted without effect

Configuration files of Conductor may hold these; there is nothing here for them to switch, and they are taken without a
warning. A name that ends in a dot stands for everything below it.

${keysWithoutEffect.map((key) => `\`${key}\``).join(", ")}
`;
}

function renderRow(entry: ConfigEntry): string[] {
  const aliases = [...(entry.aliases ?? []), ...(entry.variables ?? [])].map((alias) => `\`${alias}\``).join(", ");
  const meaning = aliases === "" ? entry.description : `${entry.description} Also: ${aliases}.`;
  return [`\`${entry.key}\``, entry.default === "" ? "" : `\`${entry.default}\``, shortType(entry), meaning];
}

function renderTable([head = [], ...rows]: readonly string[][]): string {
  const ruler = head.map(() => "---");
  return [head, ruler, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function shortType(entry: ConfigEntry): string {
  switch (entry.type) {
    case "string":
      return "text";
    case "duration":
      return `duration, bare: ${entry.unit ?? "ms"}`;
    case "size":
      return `size, bare: ${entry.unit ?? "B"}`;
    case "enum":
      return entry.values.map((value) => `\`${value}\``).join(", ");
    case "list":
      return "list";
    case "records":
      return "list of records";
    case "addresses":
      return "list of addresses";
    case "boolean":
    case "integer":
      return describeType(entry).replace(/^an /, "");
  }
}

if (import.meta.main) {
  process.stdout.write(renderConfigDocs());
}
