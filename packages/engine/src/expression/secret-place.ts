/**
 * Where a secret reference written in a definition stands in a resolved value. Plain data: it is stored with the task.
 *
 * A place names the literal by position, so caller data that merely looks like `${workflow.secrets.X}` is never one:
 * text has no places unless a definition put them there.
 */
export type SecretPlace = {
  /** Keys and indices from the top of the value to the string that holds the literal. */
  readonly path: readonly (string | number)[];
  /** The literal as it stands there, `${workflow.secrets.NAME[.path]}`. */
  readonly text: string;
  /** Where the literal starts in that string, in UTF-16 units; absent when it is the whole value. */
  readonly at?: number;
};
