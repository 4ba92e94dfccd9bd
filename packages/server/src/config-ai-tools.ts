import type { ConfigEntry } from "./config-values.ts";

/** Settings of documents, vector stores and SQL connections. */
export const aiToolSettings = [
  {
    key: "service.document-access-policy.allowed-directories",
    type: "list",
    default: "",
    description: "Folders that tasks may read documents from, beside the one that generated files go to.",
  },
  {
    key: "service.document-access-policy.blocked-path-prefixes",
    type: "list",
    default: "",
    description: "Paths that tasks may never read, beside the built-in ones (credentials, system folders).",
  },
  {
    key: "service.document-access-policy.blocked-file-names",
    type: "list",
    default: "",
    description:
      "File names that tasks may never read, on disk or in a URL, beside the built-in ones (`.env`, keys …).",
  },
  {
    key: "service.document-access-policy.blocked-hosts",
    type: "list",
    default: "",
    description: "Hosts that documents may never come from, beside the built-in ones (metadata services).",
  },
  {
    key: "service.document-access-policy.disabled",
    type: "boolean",
    default: "false",
    description:
      "Turns the checks above off, and those of loopback and link-local addresses. Cloud metadata addresses are refused all the same.",
  },
  {
    key: "service.documents.max-size",
    type: "size",
    min: 1,
    default: "50MB",
    description: "Largest document a task may load; a larger one fails the task.",
  },
  {
    key: "service.documents.extract-timeout",
    type: "duration",
    min: 1,
    default: "60s",
    description: "Longest time to read the text out of one document, or to lay out one PDF.",
  },
  {
    key: "service.vectordb.instances",
    type: "records",
    default: "",
    secret: true,
    description:
      "Vector stores by name: `name`, `type` (`sqlite`, `postgres`, `mongodb`, `pinecone`) and a block named after the type; docs/vector-search.md lists the fields. The embedded one, `default`, needs no entry.",
  },
  {
    key: "service.vectordb.embedded.file",
    type: "string",
    default: "",
    description: "File of the embedded vector store; empty puts it beside the database.",
  },
  {
    key: "service.jdbc.instances",
    type: "records",
    default: "",
    secret: true,
    description:
      "SQL connections for JDBC tasks: `name`, `connection.datasourceURL` (`postgres://…` or `sqlite:file`, a leading `jdbc:` is dropped), `connection.user`, `connection.password`, `connection.maximumPoolSize`, `connection.connectionTimeout`, `connection.idleTimeoutMs`.",
  },
] as const satisfies readonly ConfigEntry[];
