import { posix } from "node:path";

const textTypes: ReadonlyMap<string, string> = new Map([
  [".md", "text/markdown"],
  [".txt", "text/plain"],
  [".json", "application/json"],
  [".yaml", "application/yaml"],
  [".yml", "application/yaml"],
  [".xml", "application/xml"],
  [".html", "text/html"],
  [".css", "text/css"],
  [".js", "text/javascript"],
  [".mjs", "text/javascript"],
  [".csv", "text/csv"],
  ...[".ts", ".tsx", ".jsx", ".py", ".sh", ".rb", ".go", ".java", ".kt", ".rs", ".toml", ".ini", ".properties"].map(
    (extension): [string, string] => [extension, "text/plain"],
  ),
]);

const binaryTypes: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".svg", "image/svg+xml"],
  [".pdf", "application/pdf"],
  [".zip", "application/zip"],
]);

/** The content type of a file in a package, by its extension. */
export function contentTypeOf(path: string): string {
  const extension = posix.extname(path).toLowerCase();
  return textTypes.get(extension) ?? binaryTypes.get(extension) ?? "application/octet-stream";
}

/** Text by its extension, or because it holds no zero byte. */
export function isBinaryFile(path: string, bytes: Uint8Array): boolean {
  return !textTypes.has(posix.extname(path).toLowerCase()) && bytes.includes(0);
}
