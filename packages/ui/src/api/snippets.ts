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

function toCurl({ method, body, form }: ApiRequest, url: string): string {
  const parts = [`curl${method === "GET" ? "" : ` -X ${method}`} ${shellQuote(url)}`];
  if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`);
  }
  for (const [name, part] of Object.entries(form ?? {})) {
    // What is sent as it is begins with no @; a file is read by its name.
    parts.push(
      typeof part === "string"
        ? `--form-string ${shellQuote(`${name}=${part}`)}`
        : `-F ${shellQuote(`${name}=@${part.name}`)}`,
    );
  }
  return parts.join(" \\\n  ");
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function toTypeScript({ method, body, form }: ApiRequest, url: string): string {
  if (method === "GET") {
    return `const response = await fetch(${JSON.stringify(url)});\nconst answer = await response.json();`;
  }
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (body !== undefined) {
    const text = JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
    lines.push('  headers: { "content-type": "application/json" },', `  body: JSON.stringify(${text}),`);
  }
  if (form !== undefined) lines.push("  body: form,");
  return `${toFormLines(form)}const response = await fetch(${JSON.stringify(url)}, {\n${lines.join("\n")}\n});\nif (!response.ok) throw new Error(await response.text());`;
}

function toFormLines(form: ApiRequest["form"]): string {
  if (form === undefined) return "";
  const parts = Object.entries(form).map(([name, part]) => {
    const value =
      typeof part === "string"
        ? JSON.stringify(part)
        : `await openAsBlob(${JSON.stringify(part.name)}), ${JSON.stringify(part.name)}`;
    return `form.set(${JSON.stringify(name)}, ${value});\n`;
  });
  return `import { openAsBlob } from "node:fs";\n\nconst form = new FormData();\n${parts.join("")}`;
}

function toPython({ method, body, form }: ApiRequest, url: string): string {
  const json = body === undefined ? "" : `    json=${pythonLiteral(body, 1)},\n`;
  const files = form === undefined ? "" : `    files=${pythonFiles(form)},\n`;
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n    ${JSON.stringify(url)},\n${json}${files})\nresponse.raise_for_status()`;
}

/** A part without a file name is a field. */
function pythonFiles(form: NonNullable<ApiRequest["form"]>): string {
  const parts = Object.entries(form).map(([name, part]) => {
    const value =
      typeof part === "string" ? `(None, ${JSON.stringify(part)})` : `open(${JSON.stringify(part.name)}, "rb")`;
    return `        ${JSON.stringify(name)}: ${value},\n`;
  });
  return `{\n${parts.join("")}    }`;
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
