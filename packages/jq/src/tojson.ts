import { isArray, isObject, kindOf } from "./values.ts";

/**
 * Compact JSON as jq prints it: its own rules for numbers, and DEL escaped like the other control characters.
 * Stops soon after `limit` characters, the text then being longer than that but not complete.
 */
export function formatJson(value: unknown, limit = Number.POSITIVE_INFINITY): string {
  return typeof value === "object" && value !== null ? formatContainer(value, limit) : formatScalar(value, limit);
}

type Frame = { readonly container: object; readonly keys: readonly string[] | undefined; next: number };

/** Keeps open containers on a list of its own: JSON of any depth must not overflow the stack. */
function formatContainer(root: object, limit: number): string {
  const open: Frame[] = [];
  const written = new TextBuffer();
  let frame: Frame | undefined = openFrame(root);
  let text = "";
  while (frame !== undefined) {
    if (text.length > 4096) {
      written.push(text);
      text = "";
      if (written.length > limit) break;
    }
    const { container, keys } = frame;
    const at = frame.next;
    frame.next += 1;
    const items: readonly unknown[] = keys ?? (isArray(container) ? container : []);
    if (at === 0) text += keys === undefined ? "[" : "{";
    if (at >= items.length) {
      text += keys === undefined ? "]" : "}";
      frame = open.pop();
      continue;
    }
    if (at > 0) text += ",";
    const key = keys?.[at];
    if (key !== undefined) text += `${formatString(key)}:`;
    const child: unknown = key === undefined || !isObject(container) ? items[at] : container[key];
    if (typeof child === "object" && child !== null) {
      open.push(frame);
      frame = openFrame(child);
    } else {
      text += formatScalar(child, limit);
    }
  }
  return written.finish(text);
}

/**
 * Joins text in blocks. A long string built piece by piece stays a tree of all its pieces until it is read: for 16
 * million characters the process grew to 740 MB, joined in blocks to 260.
 */
class TextBuffer {
  length = 0;
  #text = "";
  #pieces: string[] = [];

  push(piece: string): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < 64) return;
    this.#text += this.#pieces.join("");
    this.#pieces = [];
  }

  finish(last: string): string {
    return this.length === 0 ? last : this.#text + this.#pieces.join("") + last;
  }
}

function openFrame(container: object): Frame {
  return { container, keys: isArray(container) ? undefined : Object.keys(container), next: 0 };
}

function formatScalar(value: unknown, limit: number): string {
  if (typeof value === "string") return formatString(value.length > limit ? value.slice(0, limit) : value);
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "boolean" ? String(value) : "null";
}

const plainText = /^[ !#-[\]-~]*$/;

function formatString(text: string): string {
  if (text.length < 64 && plainText.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  return quoted.includes("\x7f") ? quoted.replaceAll("\x7f", "\\u007f") : quoted;
}

/**
 * Shortest digits that read back as the same double. Plain notation while the decimal point is near the digits
 * (1000000000000000, 0.0001), an exponent of at least two digits beyond that (1e+16, 1e-05).
 */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e15) return String(value);
  const [mantissa = "", exponentText = "0"] = Math.min(size, Number.MAX_VALUE).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(exponentText);
  const sign = value < 0 ? "-" : "";
  if (exponent < -4 || exponent > digits.length + 14) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (exponent + 1 >= digits.length) return sign + digits.padEnd(exponent + 1, "0");
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

const descriptionBytes = 29;
const previewSource = 256;

/** `kind (json)` for error messages, the JSON cut to 29 bytes of UTF-8 with its closing delimiter kept. */
export function describe(value: unknown): string {
  return `${kindOf(value)} (${preview(value)})`;
}

export function preview(value: unknown): string {
  const text = formatJson(value, previewSource);
  if (text.length * 3 <= descriptionBytes || utf8Length(text) <= descriptionBytes) return text;
  const closing = { string: '"', array: "]", object: "}", number: "", boolean: "", null: "" }[kindOf(value)];
  let room = descriptionBytes - 3 - closing.length;
  let kept = "";
  for (const character of text) {
    room -= utf8Length(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept}...${closing}`;
}

export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
