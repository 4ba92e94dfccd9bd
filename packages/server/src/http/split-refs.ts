/** Reference names separated by commas. */
export const splitRefs = (refs: string | undefined): readonly string[] =>
  (refs ?? "")
    .split(",")
    .map((ref) => ref.trim())
    .filter((ref) => ref !== "");
