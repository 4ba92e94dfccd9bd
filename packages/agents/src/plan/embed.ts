import type { JsonObject } from "@downbeat/engine";

/** A plain function over the data of a task: self-contained, since only its text goes into the definition. */
export type Script = (...data: never[]) => unknown;

export type EmbedOptions = {
  /** Functions of the same file that the script calls. */
  readonly using?: readonly Script[];
  /** A second argument, known when the definition is made. */
  readonly constants?: JsonObject;
};

/**
 * The text of a script that calls the function with `$`, and with the constants if there are any. For a condition or a
 * SWITCH; what stands in a task's input needs `embedInInput`.
 */
export function embed(script: Script, { using = [], constants }: EmbedOptions = {}): string {
  const parts = [...using, script].map((part) => part.toString());
  const data = constants === undefined ? "$" : `$, ${JSON.stringify(constants)}`;
  return `${parts.join("\n")}\n${script.name}(${data})`;
}

/** The same for the `expression` of an INLINE task. */
export const embedInInput = (script: Script, options?: EmbedOptions): string => literal(embed(script, options));

/** A text that means itself in a task's input: what looks like an expression is escaped. */
export const literal = (text: string): string => text.split("${").join("$${");
