import type { Json } from "../json.ts";
import { isList } from "./is-list.ts";
import { RawJson } from "./raw-json.ts";

/** A value as it reads inside text: `{k=v, n=null}` and `[a, b]`, strings bare, floating numbers as Java writes them. */
export function renderText(value: Json | RawJson): string {
  if (value instanceof RawJson) return renderRaw(value);
  if (typeof value === "string") return value;
  if (typeof value === "number") return renderNumber(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (isList(value)) return `[${value.map(renderText).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${key}=${renderText(member)}`);
  return `{${members.join(", ")}}`;
}

/** A number still held as text keeps what parsing would lose: `1.0`, and digits beyond 2^53. */
function renderRaw(raw: RawJson): string {
  const { value } = raw;
  if (typeof value !== "number") return renderText(value);
  return /[.eE]/.test(raw.text) ? renderFloating(value) : raw.text.trim();
}

function renderNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : renderFloating(value);
}

function renderFloating(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) return withFraction(String(value));
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return `${withFraction(mantissa)}E${Number(exponent)}`;
}

function withFraction(digits: string): string {
  return digits.includes(".") ? digits : `${digits}.0`;
}
