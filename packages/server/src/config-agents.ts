import type { ConfigEntry } from "./config-values.ts";

/** Settings of agents and of the secrets they and workflows use. */
export const agentSettings = [
  {
    key: "service.agents.context.max-size",
    type: "integer",
    min: 1,
    default: "32768",
    description: "Characters of an agent's state that its prompt shows.",
  },
  {
    key: "service.agents.context.max-value-size",
    type: "integer",
    min: 1,
    default: "4096",
    description: "Characters of one value of that state.",
  },
  {
    key: "service.agents.adk-model",
    aliases: ["AGENT_DEFAULT_MODEL"],
    type: "string",
    default: "",
    description: "`provider/model` in the place of the model of every Google ADK agent; empty: each has its own.",
  },
  {
    key: "service.agents.sandbox.enabled",
    type: "boolean",
    default: "false",
    description: "Whether the server runs agents' command and code tools itself, each in a process kept apart.",
  },
  {
    key: "service.agents.sandbox.network",
    type: "boolean",
    default: "false",
    description: "Whether those processes reach the network: all of it, this server included.",
  },
  {
    key: "service.agents.sandbox.concurrency",
    type: "integer",
    min: 1,
    default: "4",
    description: "How many of them run at a time; the others wait.",
  },
  {
    key: "service.agents.sandbox.timeout",
    type: "duration",
    min: 1,
    default: "30s",
    description: "Longest time one may run; an agent may ask for less.",
  },
  {
    key: "service.a2a.server.enabled",
    type: "boolean",
    default: "false",
    description:
      "Whether deployed agents, and workflows that are exposed, speak the A2A protocol at `/a2a/agent` and `/a2a/workflow`; it needs the AI switch too.",
  },
  {
    key: "service.a2a.server.expose-all",
    type: "boolean",
    default: "false",
    description:
      "Whether every workflow does. Otherwise those of the list, and those whose metadata say `a2a.enabled`.",
  },
  {
    key: "service.a2a.server.exposed-workflows",
    type: "list",
    default: "",
    description: "Names of workflows that do.",
  },
  {
    key: "service.a2a.server.public-url",
    type: "string",
    default: "",
    description: "How cards begin the addresses they name, up to `/api`; empty: with the host that was asked.",
  },
  {
    key: "service.a2a.server.provider-organization",
    type: "string",
    default: "Downbeat",
    description: "Who cards say the provider is.",
  },
  {
    key: "service.a2a.server.default-input-modes",
    type: "list",
    default: "application/json,text/plain",
    description: "What cards say is understood.",
  },
  {
    key: "service.a2a.server.default-output-modes",
    type: "list",
    default: "application/json,text/plain",
    description: "What cards say is answered.",
  },
  {
    key: "service.a2a.server.stream-max-duration-seconds",
    type: "integer",
    min: 1,
    default: "300",
    description: "Longest time a stream of a task stays open; the client then asks with tasks/get.",
  },
  {
    key: "service.a2a.client.allow-private-network",
    type: "boolean",
    default: "true",
    description:
      "Whether AGENT tasks may reach agents on private networks and on this machine. Metadata addresses of clouds are never reached.",
  },
  {
    key: "service.a2a.callback.url",
    type: "string",
    default: "",
    description:
      "How remote agents reach this server, up to `/api`, to say that they are done; empty: they are asked instead.",
  },
  {
    key: "service.skills.enabled",
    type: "boolean",
    default: "false",
    description: "Whether `/skills` exists, where packages of skills are registered; it needs the AI switch too.",
  },
  {
    key: "service.skills.max-package-bytes",
    type: "integer",
    min: 1,
    default: "52428800",
    description: "Bytes of a skill's package.",
  },
  {
    key: "service.skills.max-preview-bytes",
    type: "integer",
    min: 1,
    default: "1048576",
    description: "Bytes of one text of a package, and of a file that is looked at.",
  },
  {
    key: "service.skills.max-uncompressed-bytes",
    type: "integer",
    min: 1,
    default: "209715200",
    description: "Bytes of all files of a package.",
  },
  {
    key: "service.skills.max-file-count",
    type: "integer",
    min: 1,
    default: "2000",
    description: "Files of a package.",
  },
  {
    key: "service.secrets.type",
    type: "enum",
    values: ["env", "database", "noop"],
    default: "env",
    description:
      "Where secrets are: variables `SERVICE_SECRET_<NAME>`; these and the database, where they can be written through `/secrets` and are encrypted; or nowhere.",
  },
  {
    key: "service.secrets.env.prefix",
    type: "string",
    default: "SERVICE_SECRET_",
    description: "How the variables begin whose values are secrets; `CONDUCTOR_SECRET_` is always taken too.",
  },
  {
    key: "service.secrets.key",
    type: "string",
    default: "",
    secret: true,
    description:
      "Key of the secrets in the database: 32 bytes as base64 or 64 hexadecimal digits. Without it that store does not start.",
  },
  {
    key: "service.secrets.previous-keys",
    type: "string",
    default: "",
    secret: true,
    description:
      "Older keys, separated by commas. What they sealed is read, and sealed anew with the current key at the next start; then they can go.",
  },
  {
    key: "service.secrets.allow-read",
    type: "boolean",
    default: "false",
    description: "Whether `GET /secrets/{key}` tells a value; otherwise it is a 403.",
  },
] as const satisfies readonly ConfigEntry[];
