import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as sdk from "@io-orkes/conductor-javascript";
import { parseSync } from "oxc-parser";

/** By class, resource, or "Functions": the names users of the JavaScript SDK can call. */
export type Methods = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What the JavaScript SDK offers: the public methods of the classes it exports, as its declarations say, the functions
 * it exports, and the resources that hang on its HTTP client.
 */
export async function javascriptMethods(): Promise<Methods> {
  const exported = new Set(Object.keys(sdk));
  const methods = new Map([...declaredClasses()].filter(([name]) => exported.has(name)));
  const functions = Object.entries(sdk).filter(([name, value]) => typeof value === "function" && !methods.has(name));
  methods.set("Functions", new Set(functions.map(([name]) => name).filter((name) => !isClass(name))));
  for (const [name, names] of await resources()) methods.set(name, names);
  return methods;
}

const isClass = (name: string): boolean => /^[A-Z]/.test(name);

function declaredClasses(): Map<string, Set<string>> {
  const folder = dirname(fileURLToPath(import.meta.resolve("@io-orkes/conductor-javascript")));
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".d.ts"))) {
    for (const node of parseSync(file, readFileSync(join(folder, file), "utf8")).program.body) {
      if (node.type !== "ClassDeclaration" || node.id === null) continue;
      found.set(node.id.name, new Set(node.body.body.flatMap(publicName)));
    }
  }
  return found;
}

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];
type Member = Extract<Statement, { body: { type: "ClassBody" } }>["body"]["body"][number];

/** The name of a method, of a getter, or of a property that holds a function; none of what is private. */
function publicName(member: Member): string[] {
  if (member.type !== "MethodDefinition" && member.type !== "PropertyDefinition") return [];
  const { key, accessibility } = member;
  if (key.type !== "Identifier" || key.name.startsWith("_") || accessibility === "private") return [];
  if ("kind" in member) return member.kind === "constructor" ? [] : [key.name];
  return member.typeAnnotation?.typeAnnotation.type === "TSFunctionType" ? [key.name] : [];
}

async function resources(): Promise<Map<string, Set<string>>> {
  const client = await sdk.createConductorClient({ serverUrl: "http://127.0.0.1:9/api", logger: sdk.noopLogger });
  const found = new Map<string, Set<string>>();
  for (const [name, value] of Object.entries(client)) {
    if (/^human|Resource$/.test(name) && typeof value === "object") found.set(name, new Set(Object.keys(value)));
  }
  return found;
}
