import { jsonLanguage } from "@codemirror/lang-json";

export type Place = { readonly from: number; readonly to: number };
export type Steps = readonly string[];

type JsonNode = ReturnType<typeof jsonLanguage.parser.parse>["topNode"];

/** Where in a JSON text the value at the end of the steps stands; the nearest thing around it when it is not there. */
export function findPlace(text: string, steps: Steps): Place {
  let value: JsonNode = jsonLanguage.parser.parse(text).topNode.firstChild ?? jsonLanguage.parser.parse(text).topNode;
  let place: Place = firstLine(text, value.from);
  for (const step of steps) {
    const next = value.name === "Array" ? elementOf(value, Number(step)) : propertyOf(text, value, step);
    if (next === undefined) break;
    value = next;
    // A container is marked where it begins: a mark over all of its lines would tell nothing.
    place = isContainer(value) ? firstLine(text, value.from) : { from: value.from, to: value.to };
  }
  return place;
}

/** The steps from the root to a node: keys of objects, indexes of lists. */
export function stepsTo(text: string, node: JsonNode): Steps {
  const steps: string[] = [];
  for (let at: JsonNode | null = node; at !== null; at = at.parent) {
    if (at.name === "Property") steps.unshift(keyOf(text, at));
    else if (at.parent?.name === "Array") steps.unshift(String(indexIn(at.parent, at)));
  }
  return steps;
}

const isContainer = ({ name }: JsonNode): boolean => name === "Object" || name === "Array";

function propertyOf(text: string, object: JsonNode, key: string): JsonNode | undefined {
  for (const property of object.getChildren("Property")) {
    if (keyOf(text, property) === key) return property.lastChild ?? undefined;
  }
  return undefined;
}

function keyOf(text: string, property: JsonNode): string {
  const name = property.getChild("PropertyName");
  if (name === null) return "";
  const raw = text.slice(name.from, name.to);
  try {
    return String(JSON.parse(raw));
  } catch {
    // Still being typed.
    return raw.replaceAll('"', "");
  }
}

const elementOf = (list: JsonNode, index: number): JsonNode | undefined => elementsOf(list)[index];

function indexIn(list: JsonNode, node: JsonNode): number {
  return elementsOf(list).findIndex(({ from }) => from === node.from);
}

const valueNames = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

function elementsOf(list: JsonNode): readonly JsonNode[] {
  const elements: JsonNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (valueNames.has(child.name)) elements.push(child);
  }
  return elements;
}

/** From a position to the end of what its line says. */
function firstLine(text: string, from: number): Place {
  const end = text.indexOf("\n", from);
  return { from, to: Math.max(from, Math.min(text.length, end === -1 ? text.length : end)) };
}
