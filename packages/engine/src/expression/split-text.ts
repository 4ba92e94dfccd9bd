/** A string cut at its `${...}`: text as it stands, and what is between the braces. */
type Piece = { readonly kind: "text" | "expression"; readonly text: string };

/**
 * Cuts a string at its outermost expressions. Braces are balanced, so `{"x": {"y": ${a}}}` holds one; `$${` starts none,
 * and neither does a `${` that is never closed. Linear: the braces are matched once, from left to right.
 */
export function splitText(text: string): readonly Piece[] {
  const closings = matchBraces(text);
  const pieces: Piece[] = [];
  let done = 0;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", at)) {
    const closing = text[at - 1] === "$" ? undefined : closings.get(at + 1);
    if (closing === undefined) {
      at += 2;
      continue;
    }
    if (at > done) pieces.push({ kind: "text", text: text.slice(done, at) });
    pieces.push({ kind: "expression", text: text.slice(at + 2, closing) });
    done = closing + 1;
    at = done;
  }
  if (done < text.length) pieces.push({ kind: "text", text: text.slice(done) });
  return pieces;
}

/** Turns the escape `$${` into `${`. */
export function unescapeText(text: string): string {
  return text.includes("$${") ? text.split("$${").join("${") : text;
}

/** The position of the closing brace for each opening one that has it. */
function matchBraces(text: string): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === openingBrace) open.push(at);
    if (code !== closingBrace) continue;
    const opening = open.pop();
    if (opening !== undefined) closings.set(opening, at);
  }
  return closings;
}

const openingBrace = "{".charCodeAt(0);
const closingBrace = "}".charCodeAt(0);
