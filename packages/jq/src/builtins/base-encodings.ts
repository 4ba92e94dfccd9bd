import { JqError } from "../errors.ts";
import { decodeUtf8 } from "../text.ts";
import { describe } from "../tojson.ts";

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const encodeBase64 = (bytes: readonly number[]): string => encode(bytes, base64Digits, 6, 4);
export const encodeBase32 = (bytes: readonly number[]): string => encode(bytes, base32Digits, 5, 8);

/** Padding may be missing; a lone digit at the end, which cannot hold a byte, may not be there. */
export function decodeBase64(text: string): string {
  const digits = withoutPadding(text);
  const bytes = decode(digits, base64Digits, 6);
  if (bytes === undefined) throw new JqError(`${describe(text)} is not valid base64 data`);
  if (digits.length % 4 === 1) throw new JqError(`${describe(text)} trailing base64 byte found`);
  return decodeUtf8(bytes).text;
}

export function decodeBase32(text: string): string {
  const bytes = decode(withoutPadding(text), base32Digits, 5);
  if (bytes === undefined) throw new JqError(`${describe(text)} is not valid base32 data`);
  return decodeUtf8(bytes).text;
}

function withoutPadding(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "=") end -= 1;
  return text.slice(0, end);
}

/** Regroups bytes into digits of `bits` bits, padded with "=" to a multiple of `block` digits. */
function encode(bytes: readonly number[], digits: string, bits: number, block: number): string {
  let text = "";
  let held = 0;
  let count = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    count += 8;
    while (count >= bits) {
      count -= bits;
      text += digits.charAt((held >> count) & ((1 << bits) - 1));
    }
    held &= (1 << count) - 1;
  }
  if (count > 0) text += digits.charAt((held << (bits - count)) & ((1 << bits) - 1));
  return text.padEnd(Math.ceil(text.length / block) * block, "=");
}

function decode(text: string, digits: string, bits: number): number[] | undefined {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  for (const character of text) {
    const digit = digits.indexOf(character);
    if (digit < 0) return undefined;
    held = (held << bits) | digit;
    count += bits;
    if (count >= 8) {
      count -= 8;
      bytes.push(held >> count);
      held &= (1 << count) - 1;
    }
  }
  return bytes;
}
