import type { Json, JsonObject } from "@downbeat/engine";
import type { CallKind, CallTask, Dispatch } from "./calls/call.ts";
import type { Maybe, ToolCall } from "./values.ts";

type Remotes = Maybe<{ readonly [tool: string]: JsonObject }>;

type Input = {
  readonly toolCalls: Maybe<readonly ToolCall[]>;
  readonly userPrompt: Maybe<string>;
  /** Tools that discovery found, with where they are. */
  readonly mcpConfig?: Remotes;
  readonly apiConfig?: Remotes;
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
 * Turns the calls a model asked for into the tasks of a dynamic fork, each made by the function for its kind.
 * Everything that a model or a remote document wrote is escaped: the engine reads expressions in a task's input, and
 * none of those may come from there.
 */
export function enrichTools(input: Input, known: Known, calls: { readonly [kind in CallKind]?: CallTask }): Enriched {
  const plain = (value: Json): Json => {
    if (typeof value === "string") return value.split("${").join("$${");
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  };
  const secretOf = (_marker: string, secret: string): string => `\${workflow.secrets.${secret}}`;
  const withSecrets = (headers: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        String(value ?? "").replace(/#\{([A-Za-z_][A-Za-z0-9_.]*)\}/g, secretOf),
      ]),
    );
  const own = <T>(map: Maybe<{ readonly [name: string]: T }>, name: string): T | undefined =>
    map && Object.hasOwn(map, name) ? map[name] : undefined;

  /** A tool of the agent itself, or one that discovery found. */
  const findTool = (name: string): Dispatch | undefined => {
    const found = { target: "", retryCount: 2, retryDelaySeconds: 2, optional: true };
    const mcp = own(input.mcpConfig, name);
    const api = own(input.apiConfig, name);
    if (own(known.tools, name) !== undefined) return own(known.tools, name);
    if (mcp !== undefined) return { ...found, kind: "mcp", config: mcp };
    if (api === undefined) return undefined;
    const base = String(api["baseUrl"] ?? "").replace(/\/+$/, "");
    const url = plain(`${base}/${String(api["path"] ?? "").replace(/^\/+/, "")}`);
    // Whoever wrote the description chose the address: it is reached only where the operator allows it.
    return { ...found, kind: "http", config: { ...api, url, outboundPolicy: "ai" } };
  };

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

  /** A task that only tells the model why its call was not made. */
  const refusal = (taskReferenceName: string, message: string): JsonObject => ({
    name: "refused_tool_call",
    taskReferenceName,
    type: "INLINE",
    optional: true,
    inputParameters: {
      evaluatorType: "graaljs",
      expression: "({ result: $.message, is_error: true })",
      message: plain(message),
    },
  });

  const counts: Record<string, number> = Object.assign(Object.create(null), input.callCounts ?? {});
  const made: { ref: string; name: string }[] = [];
  const dynamicTasks = (input.toolCalls ?? []).map((call, index): JsonObject => {
    const name = call.name ?? "";
    const { method, ...rest } = call.inputParameters ?? {};
    // The model's own argument of that name stays; the tool's name was put there beside it.
    const args: JsonObject = method === undefined || method === name ? rest : { ...rest, method };
    const id = call.taskReferenceName || name || "call";
    const ref = known.hasDiscovery && call.taskReferenceName ? id : `${id}_${index}`;
    const tool = findTool(name);
    const toTask = tool === undefined ? undefined : calls[tool.kind];
    if (tool === undefined || toTask === undefined) {
      const names = [known.tools, input.mcpConfig ?? {}, input.apiConfig ?? {}].flatMap((map) => Object.keys(map));
      return refusal(id, `Unknown tool '${name}'. Available tools: ${names.join(", ")}`);
    }
    if (tool.maxCalls !== undefined && (counts[name] ?? 0) >= tool.maxCalls) {
      return refusal(ref, `Tool '${name}' reached its maximum of ${tool.maxCalls} calls`);
    }
    counts[name] = (counts[name] ?? 0) + 1;
    made.push({ ref, name });
    const task = toTask({ name, tool, args, userPrompt: input.userPrompt ?? "", plain, withSecrets });
    const inputs = { ...(task["inputParameters"] as JsonObject), _agent_tool_name: plain(name) };
    return { ...task, ...rulesOf(task, tool), taskReferenceName: ref, inputParameters: inputs };
  });
  return { dynamicTasks, calls: made };
}
