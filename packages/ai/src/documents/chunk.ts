export type ChunkOptions = {
  /** Most characters of a chunk. */
  readonly size: number;
  /** About how many characters of a chunk begin the next one too. */
  readonly overlap: number;
};

/** Where a text is best cut, best first: between paragraphs, lines, sentences, words. */
const boundaries: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?…。！？]["')\]]*\s/g, /\s/g];

/** Cuts a text into chunks that overlap, where it hurts least. No chunk is blank, and nothing but blanks is lost. */
export function chunkText(text: string, { size, overlap }: ChunkOptions): readonly string[] {
  const chunks: string[] = [];
  const shared = Math.min(Math.max(0, overlap), Math.floor(size / 2));
  for (let start = 0; start < text.length; ) {
    const end = start + size >= text.length ? text.length : cutBefore(text, start, start + size);
    const chunk = text.slice(start, end).trim();
    if (chunk !== "") chunks.push(chunk);
    if (end === text.length) break;
    start = Math.max(start + 1, beginOfWord(text, end - shared, end));
  }
  return chunks;
}

/** The last good place in the second half of what may be taken; else the last whole character. */
function cutBefore(text: string, start: number, limit: number): number {
  const from = start + Math.ceil((limit - start) / 2);
  const half = text.slice(from, limit);
  for (const boundary of boundaries) {
    let end = -1;
    for (const match of half.matchAll(boundary)) end = match.index + match[0].length;
    if (end > 0) return from + end;
  }
  return isMidCharacter(text, limit) && limit - 1 > start ? limit - 1 : limit;
}

/** The overlap begins with a whole word where there is one. */
function beginOfWord(text: string, from: number, end: number): number {
  if (from >= end || from <= 0 || /\s/.test(text.charAt(from - 1))) return from;
  const blank = text.slice(from, end).search(/\s/);
  if (blank >= 0) return from + blank + 1;
  return isMidCharacter(text, from) ? from + 1 : from;
}

const isMidCharacter = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at));
