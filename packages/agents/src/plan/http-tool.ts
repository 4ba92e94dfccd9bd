import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";
import { type Build, inlineTask, serverRetries, type Task } from "./build.ts";
import { secretHeaders, textsIn } from "./headers.ts";
import { requestUri } from "./scripts/request-uri.ts";
import { textIn } from "./tool.ts";
import type { Call } from "./tool-task.ts";

const WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/** A call of an HTTP tool: arguments go into the path, the query or the body, as the tool says. */
export function httpTasks(call: Call, build: Build): readonly Task[] {
  const { tool, ref } = call;
  const method = (textIn(tool.config, "method") ?? "GET").toUpperCase();
  const url = `${textIn(tool.config, "url") ?? ""}${textIn(tool.config, "pathTemplate") ?? ""}`;
  const { pathArgs, queryArgs, body } = splitArguments(call, url, method);
  const uri = buildUri({ url, pathArgs, queryArgs }, call, build);
  return [
    ...uri.tasks,
    {
      taskReferenceName: ref,
      name: tool.name,
      type: "HTTP",
      inputParameters: {
        http_request: {
          uri: uri.value,
          method,
          headers: secretHeaders(tool),
          ...(WITHOUT_BODY.has(method) ? {} : { body }),
          accept: textIn(tool.config, "accept") ?? "application/json",
          contentType: textIn(tool.config, "contentType") ?? "application/json",
          connectionTimeOut: 30_000,
          readTimeOut: 30_000,
        },
      },
      ...serverRetries({ ...call.retries, name: tool.name }),
    },
  ];
}

function splitArguments({ tool, args }: Call, url: string, method: string) {
  const inQuery = textsIn(tool, "queryParams");
  const isInPath = (name: string) => url.includes(`{${name}}`);
  const isInQuery = (name: string) => !isInPath(name) && (WITHOUT_BODY.has(method) || inQuery.includes(name));
  return {
    pathArgs: pick(args, isInPath),
    queryArgs: pick(args, isInQuery),
    body: pick(args, (name) => !isInPath(name) && !isInQuery(name)),
  };
}

type Uri = { readonly url: string; readonly pathArgs: JsonObject; readonly queryArgs: JsonObject };

/** Put together at once when every argument is known; otherwise by a task before the call, which can encode them. */
function buildUri(
  uri: Uri,
  { place }: Call,
  build: Build,
): { readonly tasks: readonly Task[]; readonly value: string } {
  if (isConstant(uri.pathArgs) && isConstant(uri.queryArgs)) {
    const parts = { ...uri, pathArgs: meant(uri.pathArgs), queryArgs: meant(uri.queryArgs) } as Uri;
    return { tasks: [], value: escapeExpressions(requestUri(parts)) };
  }
  const ref = build.ref(`uri_${place}`);
  return {
    tasks: [inlineTask(ref, { ...uri, url: escapeExpressions(uri.url) }, requestUri)],
    value: `\${${ref}.output.result}`,
  };
}

const pick = (args: JsonObject, isWanted: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => isWanted(name)));

/** Whether an input holds no expression. */
function isConstant(value: Json): boolean {
  if (typeof value === "string") return !/(?<!\$)\$\{/.test(value);
  if (Array.isArray(value)) return value.every(isConstant);
  return !isJsonObject(value) || Object.values(value).every(isConstant);
}

/** A constant input as the value it stands for. */
function meant(value: Json): Json {
  if (typeof value === "string") return value.replaceAll("$${", "${");
  if (Array.isArray(value)) return value.map(meant);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, meant(member)]));
}
