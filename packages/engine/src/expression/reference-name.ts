/**
 * The reference name as the definition writes it: `pay__2__1` (second round of an outer loop, first of an inner one)
 * is `pay`. Only trailing `__<digits>` groups go, so `a__b` and `a__1__b` stay as they are, and never the whole name.
 */
export function bareReference(reference: string): string {
  let end = reference.length;
  for (;;) {
    let start = end;
    while (start > 0 && isDigit(reference.charCodeAt(start - 1))) start -= 1;
    const isSuffix = start < end && start > 2 && reference.startsWith("__", start - 2);
    if (!isSuffix) return reference.slice(0, end);
    end = start - 2;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
