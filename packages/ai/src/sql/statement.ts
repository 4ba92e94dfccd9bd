/** What stands in a statement but is not SQL to be read: strings, names in quotes, comments, dollar quotes. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$/g;

/** The statement with `$1`, `$2` … for its question marks, as PostgreSQL wants them. */
export function numberParameters(statement: string): string {
  let count = 0;
  let text = "";
  let from = 0;
  const numbered = (part: string): string => part.replaceAll("?", () => `$${++count}`);
  for (const match of statement.matchAll(opaque)) {
    text += numbered(statement.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return text + numbered(statement.slice(from));
}

/** The first word of a statement, comments before it left out. */
export const verbOf = (statement: string): string =>
  /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(\w+)/.exec(statement)?.[1]?.toLowerCase() ?? "";
