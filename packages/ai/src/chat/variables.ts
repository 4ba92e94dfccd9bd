import { type JsonObject, ownMember } from "@downbeat/engine";

/**
 * Puts the values of prompt variables in the place of `${name}`: the whole text between the braces is the name. A name
 * without a value stays as it is written.
 */
export function fillVariables(text: string, variables: JsonObject): string {
  return text.replace(/\$\{([^}]*)\}/g, (written, name: string) => {
    const value = ownMember(variables, name) ?? ownMember(variables, name.trim());
    if (value === undefined || value === null) return written;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}
