/** Extensions by MIME type; the first of a type is the one its files get. */
const extensions: readonly (readonly [mimeType: string, extension: string])[] = [
  ["image/jpeg", ".jpg"],
  ["image/jpeg", ".jpeg"],
  ["image/png", ".png"],
  ["image/gif", ".gif"],
  ["image/bmp", ".bmp"],
  ["image/webp", ".webp"],
  ["image/tiff", ".tiff"],
  ["image/svg+xml", ".svg"],
  ["image/x-icon", ".ico"],
  ["image/heif", ".heif"],
  ["image/heic", ".heic"],
  ["audio/mpeg", ".mp3"],
  ["audio/wav", ".wav"],
  ["audio/ogg", ".ogg"],
  ["audio/flac", ".flac"],
  ["audio/aac", ".aac"],
  ["audio/mp4", ".m4a"],
  ["audio/opus", ".opus"],
  ["audio/webm", ".weba"],
  ["audio/amr", ".amr"],
  ["audio/pcm", ".pcm"],
  ["video/mp4", ".mp4"],
  ["video/mpeg", ".mpeg"],
  ["video/x-msvideo", ".avi"],
  ["video/x-ms-wmv", ".wmv"],
  ["video/quicktime", ".mov"],
  ["video/webm", ".webm"],
  ["video/3gpp", ".3gp"],
  ["video/3gpp2", ".3g2"],
  ["video/x-flv", ".flv"],
  ["video/x-matroska", ".mkv"],
  ["application/pdf", ".pdf"],
  ["application/zip", ".zip"],
  ["application/json", ".json"],
  ["application/xml", ".xml"],
  ["application/msword", ".doc"],
  ["application/vnd.ms-excel", ".xls"],
  ["application/vnd.ms-powerpoint", ".ppt"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"],
  ["text/plain", ".txt"],
  ["text/markdown", ".md"],
  ["text/html", ".html"],
  ["text/css", ".css"],
  ["text/csv", ".csv"],
  ["text/javascript", ".js"],
];

const anyOf = new Map([
  ["image", ".jpg"],
  ["audio", ".mp3"],
  ["video", ".mp4"],
  ["text", ".txt"],
  ["application", ".bin"],
]);

/** With its dot; empty for a type nobody knows. */
export function extensionOf(mimeType: string): string {
  const [plain = ""] = mimeType.toLowerCase().split(";");
  const [family = "", kind] = plain.trim().split("/");
  if (kind === "*") return anyOf.get(family) ?? "";
  return extensions.find(([type]) => type === plain.trim())?.[1] ?? "";
}

/** By the extension of a URL or path; undefined for one nobody knows. */
export function mimeTypeOf(location: string): string | undefined {
  const path = location.split(/[?#]/)[0]?.toLowerCase() ?? "";
  return extensions.find(([, extension]) => path.endsWith(extension))?.[0];
}
