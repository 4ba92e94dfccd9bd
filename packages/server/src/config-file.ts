/** What a source says, under the names it uses, in its order. An indexed list (`key[0]`) is already one entry. */
export type RawSettings = Map<string, string | readonly string[]>;

/**
 * Reads a configuration file: JSON when its name ends in .json, otherwise Java properties.
 * Throws an Error whose message ends the sentence "Expected <path> to …".
 */
export function parseConfigFile(path: string, text: string): RawSettings {
  if (/\.ya?ml$/i.test(path)) {
    throw new Error("be a .properties or .json file, got YAML");
  }
  return /\.json$/i.test(path) ? parseJsonSettings(text) : parseProperties(text);
}

function parseJsonSettings(text: string): RawSettings {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw new Error(`be JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (!isRecord(root)) {
    throw new Error(`hold one JSON object, got ${Array.isArray(root) ? "an array" : String(root)}`);
  }
  const settings: RawSettings = new Map();
  addNested(settings, "", root);
  return settings;
}

function addNested(settings: RawSettings, prefix: string, object: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(object)) {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    if (isRecord(value)) {
      addNested(settings, key, value);
    } else if (Array.isArray(value) && value.length > 0 && value.every(isRecord)) {
      for (const [index, item] of value.entries()) {
        addNested(settings, `${key}[${index}]`, item);
      }
    } else if (Array.isArray(value)) {
      settings.set(
        key,
        value.map((item) => toText(key, item)),
      );
    } else if (value !== null) {
      settings.set(key, toText(key, value));
    }
  }
}

function toText(key: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  throw new Error(`hold texts, numbers and booleans, got ${JSON.stringify(value)} for "${key}"`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The rules of Java: `#` and `!` comments, `=`, `:` or blank between key and value, `\` escapes and continues. */
function parseProperties(text: string): RawSettings {
  const settings: RawSettings = new Map();
  const lists = new Map<string, { index: number; value: string }[]>();
  for (const line of logicalLines(text)) {
    const [, rawKey = "", rawValue = ""] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)$/s.exec(line) ?? [];
    const key = unescapeProperty(rawKey);
    const value = unescapeProperty(rawValue).trimEnd();
    const [, list, index] = /^(.*)\[(\d+)\]$/.exec(key) ?? [];
    if (list === undefined) {
      settings.set(key, value);
    } else {
      lists.set(list, [...(lists.get(list) ?? []), { index: Number(index), value }]);
    }
  }
  for (const [key, items] of lists) {
    const ordered = items.toSorted((a, b) => a.index - b.index);
    settings.set(
      key,
      ordered.map((item) => item.value),
    );
  }
  return settings;
}

function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let open = "";
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const line = raw.trimStart();
    if (open === "" && (line === "" || line.startsWith("#") || line.startsWith("!"))) {
      continue;
    }
    const slashes = /\\*$/.exec(line)![0].length;
    if (slashes % 2 === 1) {
      open += line.slice(0, -1);
    } else {
      lines.push(open + line);
      open = "";
    }
  }
  return open === "" ? lines : [...lines, open];
}

function unescapeProperty(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})|\\(.)/gi, (_, hex: string | undefined, char: string) => {
    if (hex !== undefined) {
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    return { n: "\n", t: "\t", r: "\r", f: "\f" }[char] ?? char;
  });
}
