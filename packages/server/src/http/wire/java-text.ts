/**
 * JSON text as Java prints the same maps and lists: `{a=1, b=[x, null]}`. Read character by character, because parsing
 * would lose the order of keys that are numbers, and `1.0`.
 */
export function javaText(json: string): string {
  let text = "";
  for (const [token] of json.matchAll(tokens)) text += signs[token] ?? valueText(token);
  return text;
}

const tokens = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g;
const signs: Readonly<Record<string, string>> = { "{": "{", "}": "}", "[": "[", "]": "]", ",": ", ", ":": "=" };

function valueText(token: string): string {
  if (token.startsWith('"')) return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
  return /^-?\d+[.eE]/.test(token) ? floatingText(Number(token)) : token;
}

/** Java's own form of floating numbers: always a fraction, and an exponent outside 0.001 to 10,000,000. */
function floatingText(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return String(value);
  if (size === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  if (size >= 1e-3 && size < 1e7) return withFraction(String(value));
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return `${withFraction(mantissa)}E${Number(exponent)}`;
}

const withFraction = (digits: string): string => (digits.includes(".") ? digits : `${digits}.0`);
