const deepestNesting = 1000;

/** Deeper JSON parses, but overflows the stack of whoever writes it again: it stays a text, as in the reference. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= 2 * deepestNesting) {
    return false;
  }
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isInString) {
      at += char === "\\" ? 1 : 0;
      isInString = char !== '"';
    } else if (char === '"') {
      isInString = true;
    } else if (char === "[" || char === "{") {
      depth += 1;
      if (depth > deepestNesting) {
        return true;
      }
    } else if (char === "]" || char === "}") {
      depth -= 1;
    }
  }
  return false;
}
