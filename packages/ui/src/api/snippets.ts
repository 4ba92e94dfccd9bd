import { type ApiRequest, toUrl } from "./client.ts";

export const snippetKinds = ["curl", "TypeScript", "Python"] as const;
export type SnippetKind = (typeof snippetKinds)[number];

/** A request as something to paste elsewhere. `origin` is where the server is, as the browser sees it. */
export function toSnippet(kind: SnippetKind, request: ApiRequest, origin: string): string {
  const url = `${origin}${toUrl(request)}`;
  switch (kind) {
    case "curl":
      return toCurl(request, url);
    case "TypeScript":
      return toTypeScript(request, url);
    case "Python":
      return toPython(request, url);
  }
}

function toCurl({ method, body }: ApiRequest, url: string): string {
  const parts = [`curl${method === "GET" ? "" : ` -X ${method}`} ${shellQuote(url)}`];
  if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`);
  }
  return parts.join(" \\\n  ");
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function toTypeScript({ method, body }: ApiRequest, url: string): string {
  if (method === "GET") {
    return `const response = await fetch(${JSON.stringify(url)});\nconst answer = await response.json();`;
  }
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (body !== undefined) {
    const text = JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
    lines.push('  headers: { "content-type": "application/json" },', `  body: JSON.stringify(${text}),`);
  }
  return `const response = await fetch(${JSON.stringify(url)}, {\n${lines.join("\n")}\n});\nif (!response.ok) throw new Error(await response.text());`;
}

function toPython({ method, body }: ApiRequest, url: string): string {
  const json = body === undefined ? "" : `,\n    json=${pythonLiteral(body, 1)},\n`;
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n    ${JSON.stringify(url)}${json === "" ? ",\n" : json})\nresponse.raise_for_status()`;
}

function pythonLiteral(value: unknown, depth: number): string {
  const pad = "    ".repeat(depth + 1);
  const end = "    ".repeat(depth);
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => `${pad}${pythonLiteral(item, depth + 1)},\n`).join("")}${end}]`;
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return "{}";
    const lines = entries.map(([key, item]) => `${pad}${JSON.stringify(key)}: ${pythonLiteral(item, depth + 1)},\n`);
    return `{\n${lines.join("")}${end}}`;
  }
  return JSON.stringify(value);
}
