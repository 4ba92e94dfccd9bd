/** A piece of an expression that still knows where it stands in it, so that errors can point at it. */
export interface Part {
  readonly expression: string;
  readonly text: string;
  /** Zero-based place of the text in the expression. */
  readonly start: number;
}

export function slicePart(part: Part, from: number, to = part.text.length): Part {
  return { expression: part.expression, text: part.text.slice(from, to), start: part.start + from };
}

/** The elements of a comma list; empty elements stay, for they are errors to report. */
export function splitList(part: Part): Part[] {
  const elements: Part[] = [];
  let from = 0;
  for (const text of part.text.split(",")) {
    elements.push(slicePart(part, from, from + text.length));
    from += text.length + 1;
  }
  return elements;
}

/** What stands before and after the first separator; undefined when there is none. */
export function splitAt(part: Part, separator: string): [before: Part, after: Part] | undefined {
  const place = part.text.indexOf(separator);
  return place === -1 ? undefined : [slicePart(part, 0, place), slicePart(part, place + separator.length)];
}
