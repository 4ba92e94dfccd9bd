/** Strings count in code points in jq, in UTF-16 units in JavaScript; both agree unless the text has surrogates. */
const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text);

export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function sliceCodePoints(text: string, start: number, end: number): string {
  return hasSurrogates(text) ? [...text].slice(start, end).join("") : text.slice(start, end);
}

export function codePoints(text: string): number[] {
  const points: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0;
    if (point > 0xffff) i += 1;
    points.push(point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return points;
}

/** Builds text from code points in pieces: one call with a million arguments would overflow the stack. */
export function fromCodePoints(points: readonly number[], start = 0, end = points.length): string {
  let text = "";
  for (let i = start; i < end; i += 4096) text += String.fromCodePoint(...points.slice(i, Math.min(end, i + 4096)));
  return text;
}

/** Positions of `needle`, in code points, overlapping ones included. */
export function indicesOf(text: string, needle: string): number[] {
  const found: number[] = [];
  if (needle === "") return found;
  const plain = !hasSurrogates(text);
  let counted = 0;
  let upTo = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    counted = plain ? at : counted + codePointLength(text.slice(upTo, at));
    upTo = at;
    found.push(counted);
  }
  return found;
}

export function encodeUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (const point of codePoints(text)) {
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    }
  }
  return bytes;
}

/** Decodes UTF-8; a malformed sequence gives U+FFFD and makes `isValid` false. */
export function decodeUtf8(bytes: readonly number[]): { readonly text: string; readonly isValid: boolean } {
  const points: number[] = [];
  let isValid = true;
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] ?? 0;
    const size = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >> 4 === 0xe ? 3 : lead >> 3 === 0x1e ? 4 : 0;
    const tail = bytes.slice(i + 1, i + size);
    const isComplete = size > 0 && tail.length === size - 1 && tail.every((byte) => byte >> 6 === 2);
    const point = isComplete ? tail.reduce((sum, byte) => (sum << 6) | (byte & 63), leadBits(lead, size)) : -1;
    const smallest = [0, 0, 0x80, 0x800, 0x10000][size] ?? 0;
    if (point < smallest || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      isValid = false;
      points.push(0xfffd);
      i += 1;
    } else {
      points.push(point);
      i += size;
    }
  }
  return { text: fromCodePoints(points), isValid };
}

const leadBits = (lead: number, size: number): number => (size === 1 ? lead : lead & (0x7f >> size));
