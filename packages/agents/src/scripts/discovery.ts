import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

type Found = {
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: Maybe<JsonObject>;
  readonly method?: string;
  readonly path?: string;
};

export type DiscoverySource = {
  readonly kind: "mcp" | "api";
  /** The script's input that holds what was found. */
  readonly key: string;
  readonly server: string;
  readonly headers: JsonObject;
  /** Only these tools; all when absent. */
  readonly toolNames?: readonly string[];
  /** A person consents to each of its calls. */
  readonly approvalRequired: boolean;
};

type Prepared = {
  readonly tools: readonly JsonObject[];
  readonly mcpConfig: JsonObject;
  readonly apiConfig: JsonObject;
  readonly needsFilter: boolean;
};

/** The tools a model is offered: the agent's own, and those its servers and interface descriptions have. */
export function prepareDiscovery(
  input: { readonly [key: string]: Maybe<Json> },
  known: {
    readonly tools: readonly JsonObject[];
    readonly sources: readonly DiscoverySource[];
    readonly maxTools: number;
  },
): Prepared {
  const tools: JsonObject[] = [...known.tools];
  const mcpConfig: Record<string, Json> = Object.create(null);
  const apiConfig: Record<string, Json> = Object.create(null);
  const spec = (found: Found, type: string, params: JsonObject): JsonObject => ({
    name: found.name ?? "",
    type,
    description: found.description ?? "",
    selfDescribing: true,
    inputSchema: found.inputSchema ?? { type: "object", properties: {} },
    configParams: { ...params, selfDescribing: true },
  });
  const placesOf = (found: Found): JsonObject => {
    const properties = (found.inputSchema?.["properties"] ?? {}) as { readonly [name: string]: JsonObject };
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        typeof schema?.["in"] === "string" ? schema["in"] : "body",
      ]),
    );
  };
  for (const source of known.sources) {
    const value = input[source.key];
    const isList = Array.isArray(value);
    const output = (isList ? {} : (value ?? {})) as JsonObject;
    const found = (isList ? value : (output["tools"] ?? [])) as readonly Found[];
    for (const tool of Array.isArray(found) ? found : []) {
      const name = tool?.name;
      if (typeof name !== "string" || name === "") continue;
      if (source.toolNames !== undefined && !source.toolNames.includes(name)) continue;
      const { headers, approvalRequired } = source;
      if (source.kind === "mcp") {
        tools.push(spec(tool, "CALL_MCP_TOOL", { mcpServer: source.server, headers }));
        mcpConfig[name] = { mcpServer: source.server, headers, ...(approvalRequired ? { approvalRequired } : {}) };
      } else {
        tools.push(spec(tool, "HTTP", {}));
        apiConfig[name] = {
          baseUrl: output["baseUrl"] ?? "",
          method: tool.method ?? "GET",
          path: tool.path ?? "",
          headers,
          places: placesOf(tool),
          ...(approvalRequired ? { approvalRequired } : {}),
        };
      }
    }
  }
  return { tools, mcpConfig, apiConfig, needsFilter: tools.length > known.maxTools };
}

type Spec = { readonly name: string; readonly description?: string };

/** One line for each tool, for the model that chooses among them. */
export function toolCatalog(input: { readonly tools: Maybe<readonly Spec[]> }): { readonly catalog: string } {
  return { catalog: (input.tools ?? []).map(({ name, description }) => `- ${name}: ${description ?? ""}`).join("\n") };
}

/** The chosen tools, and those that are always kept; all of them when the choice names none. */
export function keepSelected(
  input: { readonly selectedNames: Maybe<Json>; readonly allTools: Maybe<readonly Spec[]> },
  known: { readonly always: readonly string[] },
): { readonly tools: readonly Spec[] } {
  const read = (value: Maybe<Json>): Maybe<Json> => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as Json;
    } catch {
      return null;
    }
  };
  const answer = read(input.selectedNames);
  const isMap = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const names = isMap ? (answer as JsonObject)["selected_tools"] : answer;
  const all = input.allTools ?? [];
  const isChosen = ({ name }: Spec): boolean => Array.isArray(names) && names.includes(name);
  return { tools: all.some(isChosen) ? all.filter((tool) => isChosen(tool) || known.always.includes(tool.name)) : all };
}

/** What discovery came to. */
export function resolveDiscovery(input: {
  readonly filtered_tools: Maybe<Json>;
  readonly prepared_tools: Maybe<Json>;
  readonly mcpConfig: Maybe<Json>;
  readonly apiConfig: Maybe<Json>;
}): JsonObject {
  return {
    tools: input.filtered_tools ?? input.prepared_tools ?? [],
    mcpConfig: input.mcpConfig ?? {},
    apiConfig: input.apiConfig ?? {},
  };
}
