import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolCall } from "./values.ts";

/** How a tool is called; the compiler writes one for each tool of an agent. */
export type Dispatch = {
  readonly kind: "worker" | "cli" | "http" | "agent" | "system" | "human" | "messages";
  /** The dispatched task's type; of an agent the workflow's name. */
  readonly target: string;
  readonly version?: number;
  readonly retryCount: number;
  readonly retryDelaySeconds: number;
  readonly timeoutSeconds?: number;
  readonly maxCalls?: number;
  readonly optional: boolean;
  readonly displayName?: string;
  readonly description?: string;
  /** The tool's own settings; headers hold `#{NAME}` where a secret belongs. */
  readonly config: JsonObject;
};

type Remote = {
  readonly mcpServer?: string;
  readonly headers?: JsonObject;
  readonly baseUrl?: string;
  readonly method?: string;
  readonly path?: string;
  /** Where each argument goes: path, query, header or body. */
  readonly places?: { readonly [argument: string]: string };
};

type Input = {
  readonly toolCalls: Maybe<readonly ToolCall[]>;
  readonly userPrompt: Maybe<string>;
  readonly mcpConfig?: Maybe<{ readonly [tool: string]: Remote }>;
  readonly apiConfig?: Maybe<{ readonly [tool: string]: Remote }>;
  readonly callCounts?: Maybe<{ readonly [tool: string]: number }>;
};

type Known = {
  readonly tools: { readonly [tool: string]: Dispatch };
  /** Tools found by discovery: their references are the call ids as they are. */
  readonly hasDiscovery: boolean;
};

type Enriched = {
  readonly dynamicTasks: readonly JsonObject[];
  readonly calls: readonly { readonly ref: string; readonly name: string }[];
};

/**
 * Turns the calls a model asked for into the tasks of a dynamic fork. Everything that a model or a remote document wrote
 * is escaped: the engine reads expressions in a task's input, and none of those may come from there.
 */
export function enrichTools(input: Input, known: Known): Enriched {
  const plain = (value: Json): Json => {
    if (typeof value === "string") return value.split("${").join("$${");
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  };
  const asText = (value: Maybe<Json>): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const isEmpty = (value: Maybe<Json>): boolean => value === null || value === undefined || value === "";
  const withSecrets = (headers: Maybe<JsonObject>): JsonObject =>
    Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [
        name,
        asText(value).replace(
          /#\{([A-Za-z_][A-Za-z0-9_.]*)\}/g,
          (_all, secret: string) => `\${workflow.secrets.${secret}}`,
        ),
      ]),
    );
  const queryOf = (pairs: readonly (readonly [string, Json])[]): string =>
    pairs
      .flatMap(([key, value]) =>
        Array.isArray(value) ? value.map((item: Json) => [key, item] as const) : [[key, value] as const],
      )
      .filter(([, value]) => !isEmpty(value))
      .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(asText(value))}`)
      .join("&");
  const withQuery = (url: string, query: string): string => {
    if (query === "") return url;
    const hash = url.indexOf("#");
    const base = hash === -1 ? url : url.slice(0, hash);
    return `${base}${base.includes("?") ? "&" : "?"}${query}${hash === -1 ? "" : url.slice(hash)}`;
  };

  /** An HTTP call: arguments fill the path, then the query, and the rest is the body. */
  const httpRequest = (call: {
    readonly url: string;
    readonly method: string;
    readonly headers: JsonObject;
    readonly accept: Json;
    readonly contentType: Json;
    readonly args: JsonObject;
    readonly placeOf: (argument: string) => string;
  }): JsonObject => {
    let { url } = call;
    const isBodiless = ["GET", "HEAD", "DELETE", "OPTIONS"].includes(call.method);
    const query: (readonly [string, Json])[] = [];
    const body: [string, Json][] = [];
    const headers: Record<string, Json> = { ...call.headers };
    for (const [key, value] of Object.entries(call.args)) {
      const place = call.placeOf(key);
      if (url.includes(`{${key}}`) && place !== "query") {
        url = url.split(`{${key}}`).join(encodeURIComponent(asText(value)));
      } else if (place === "header") {
        if (!isEmpty(value)) headers[key] = plain(asText(value));
      } else if (isBodiless || place === "query") {
        query.push([key, value]);
      } else {
        body.push([key, value]);
      }
    }
    return {
      uri: withQuery(url, queryOf(query)),
      method: call.method,
      headers,
      accept: call.accept,
      contentType: call.contentType,
      connectionTimeOut: 30000,
      readTimeOut: 30000,
      ...(isBodiless ? {} : { body: plain(Object.fromEntries(body)) }),
    };
  };

  const promptOf = (args: JsonObject): string => {
    const isText = (value: Maybe<Json>): value is string => typeof value === "string" && value.trim() !== "";
    const named = ["request", "prompt", "message", "input", "query"].map((key) => args[key]).find(isText);
    const first = Object.values(args).find(isText);
    const given = named ?? first ?? (isText(input.userPrompt) ? input.userPrompt : undefined);
    return given ?? JSON.stringify(args);
  };

  /** Types and inputs of the task that makes the call. */
  const taskFor = (name: string, tool: Dispatch, args: JsonObject): JsonObject => {
    const { config } = tool;
    switch (tool.kind) {
      case "worker":
      case "cli":
        return {
          name,
          type: "SIMPLE",
          inputParameters: {
            ...(plain(args) as JsonObject),
            method: name,
            _agent_state: "${workflow.variables._agent_state}",
            ...(tool.kind === "cli" ? { _allowed_commands: config["allowedCommands"] ?? [] } : {}),
          },
        };
      case "http": {
        const listed = config["queryParams"];
        const inQuery = Array.isArray(listed) ? listed : [];
        const path = asText(config["pathTemplate"]);
        return {
          name,
          type: "HTTP",
          inputParameters: {
            http_request: httpRequest({
              url: asText(config["url"]) + path,
              method: (asText(config["method"]) || "GET").toUpperCase(),
              headers: withSecrets(config["headers"] as Maybe<JsonObject>),
              accept: config["accept"] ?? "application/json",
              contentType: config["contentType"] ?? "application/json",
              args,
              placeOf: (argument) => (inQuery.includes(argument) ? "query" : "body"),
            }),
          },
        };
      }
      case "agent":
        return {
          name,
          type: "SUB_WORKFLOW",
          subWorkflowParam: { name: tool.target, version: tool.version ?? 1 },
          inputParameters: {
            prompt: plain(promptOf(args)),
            session_id: "${workflow.input.session_id}",
            media: [],
            context: {},
            __today__: new Date().toISOString().slice(0, 10),
          },
        };
      case "human":
        return {
          name,
          type: "HUMAN",
          inputParameters: {
            ...(plain(args) as JsonObject),
            __humanTaskDefinition: {
              assignmentCompletionStrategy: "LEAVE_OPEN",
              displayName: tool.displayName ?? name,
              userFormTemplate: { version: 0 },
            },
            response_schema: {
              type: "object",
              properties: { response: { type: "string", title: "Response", description: "Your answer" } },
            },
            response_ui_schema: { "ui:order": ["response"], response: { "ui:widget": "textarea" } },
            _description: plain(tool.description ?? ""),
          },
        };
      case "messages":
        return {
          name,
          type: "PULL_WORKFLOW_MESSAGES",
          inputParameters: {
            batchSize: config["batchSize"] ?? 1,
            ...(config["blocking"] === undefined ? {} : { blocking: config["blocking"] }),
          },
        };
      default: {
        const { taskType: _type, credentials: _names, ...defaults } = config;
        return {
          name: tool.target.toLowerCase(),
          type: tool.target,
          inputParameters: { ...(plain(defaults) as JsonObject), ...(plain(args) as JsonObject) },
        };
      }
    }
  };

  const mcpTask = (name: string, remote: Remote, args: JsonObject): JsonObject => ({
    name: "call_mcp_tool",
    type: "CALL_MCP_TOOL",
    inputParameters: {
      mcpServer: remote.mcpServer ?? null,
      method: plain(name),
      arguments: plain(args),
      headers: withSecrets(remote.headers),
    },
  });

  const apiTask = (name: string, remote: Remote, args: JsonObject): JsonObject => ({
    name,
    type: "HTTP",
    inputParameters: {
      http_request: httpRequest({
        url: String(plain(`${asText(remote.baseUrl).replace(/\/+$/, "")}/${asText(remote.path).replace(/^\/+/, "")}`)),
        method: (asText(remote.method) || "GET").toUpperCase(),
        headers: withSecrets(remote.headers),
        accept: "application/json",
        contentType: "application/json",
        args,
        placeOf: (argument) => remote.places?.[argument] ?? "body",
      }),
    },
  });

  /** Retries and time limits. A worker's are in its task definition, which also carries its credentials. */
  const rulesOf = (task: JsonObject, tool: Dispatch): JsonObject => ({
    optional: tool.optional,
    retryCount: tool.retryCount,
    ...(task["type"] === "SIMPLE"
      ? {}
      : {
          taskDefinition: {
            name: task["name"] ?? "",
            retryCount: tool.retryCount,
            retryLogic: "LINEAR_BACKOFF",
            retryDelaySeconds: tool.retryDelaySeconds,
            timeoutSeconds: tool.timeoutSeconds ?? 0,
            timeoutPolicy: "RETRY",
            responseTimeoutSeconds: 0,
          },
        }),
  });

  const discovered: Dispatch = {
    kind: "system",
    target: "",
    retryCount: 2,
    retryDelaySeconds: 2,
    optional: true,
    config: {},
  };
  const own = <T>(map: Maybe<{ readonly [name: string]: T }>, name: string): T | undefined =>
    map && Object.hasOwn(map, name) ? map[name] : undefined;

  /** A task that only tells the model why its call was not made. */
  const refusal = (message: string): JsonObject => ({
    name: "refused_tool_call",
    type: "INLINE",
    optional: true,
    inputParameters: {
      evaluatorType: "graaljs",
      expression: "({ result: $.message, is_error: true })",
      message: plain(message),
    },
  });

  const counts: Record<string, number> = { ...(input.callCounts ?? {}) };
  const calls: { ref: string; name: string }[] = [];
  const dynamicTasks = (input.toolCalls ?? []).map((call, index): JsonObject => {
    const name = call.name ?? "";
    const { method, ...rest } = call.inputParameters ?? {};
    // The model's own argument of that name stays; the tool's name was put there beside it.
    const args: JsonObject = method === undefined || method === name ? rest : { ...rest, method };
    const id = call.taskReferenceName || name || "call";
    const tool = own(known.tools, name);
    const mcp = own(input.mcpConfig, name);
    const api = own(input.apiConfig, name);
    const ref = known.hasDiscovery && call.taskReferenceName ? id : `${id}_${index}`;
    if (tool === undefined && mcp === undefined && api === undefined) {
      const names = [known.tools, input.mcpConfig ?? {}, input.apiConfig ?? {}].flatMap((map) => Object.keys(map));
      const text = `Unknown tool '${name}'. Available tools: ${names.join(", ")}`;
      return { ...refusal(text), taskReferenceName: id };
    }
    const limit = tool?.maxCalls;
    if (limit !== undefined && (counts[name] ?? 0) >= limit) {
      return { ...refusal(`Tool '${name}' reached its maximum of ${limit} calls`), taskReferenceName: ref };
    }
    counts[name] = (counts[name] ?? 0) + 1;
    calls.push({ ref, name });
    const task =
      tool !== undefined
        ? taskFor(name, tool, args)
        : mcp !== undefined
          ? mcpTask(name, mcp, args)
          : apiTask(name, api as Remote, args);
    const inputs = { ...(task["inputParameters"] as JsonObject), _agent_tool_name: plain(name) };
    return { ...task, ...rulesOf(task, tool ?? discovered), taskReferenceName: ref, inputParameters: inputs };
  });
  return { dynamicTasks, calls };
}
