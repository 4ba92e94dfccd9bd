import type { Json, JsonObject } from "../../api/types.ts";

/** Something a person is asked for. */
export type AnswerField = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: "text" | "number" | "flag" | "choice" | "json";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
};

/** A question without a form takes words. */
const words: AnswerField = {
  name: "message",
  label: "Answer",
  hint: "",
  kind: "text",
  choices: [],
  isRequired: true,
};

/** The fields of a form that is described by a JSON schema. */
export function answerFields(schema: JsonObject | undefined): readonly AnswerField[] {
  const properties = membersOf(schema?.["properties"]);
  const required = new Set(listOf(schema?.["required"]).map(String));
  const fields = Object.entries(properties).map(([name, value]): AnswerField => {
    const { title, description, type, enum: choices } = membersOf(value);
    return {
      name,
      label: typeof title === "string" ? title : name.replaceAll("_", " "),
      hint: typeof description === "string" ? description : "",
      kind: kindOf(type, choices),
      choices: listOf(choices).map(String),
      isRequired: required.has(name),
    };
  });
  return fields.length === 0 ? [words] : fields;
}

function kindOf(type: Json | undefined, choices: Json | undefined): AnswerField["kind"] {
  if (listOf(choices).length > 0) return "choice";
  if (type === "boolean") return "flag";
  if (type === "number" || type === "integer") return "number";
  return type === "object" || type === "array" ? "json" : "text";
}

type Typed = Readonly<Record<string, string>>;

/** What was typed, as the form wants it. What was left empty is left out. */
export function toAnswer(fields: readonly AnswerField[], typed: Typed): JsonObject {
  const entries: [string, Json][] = [];
  for (const { name, kind } of fields) {
    const text = typed[name] ?? "";
    if (kind === "flag") entries.push([name, text === "true"]);
    else if (text !== "") entries.push([name, asValue(kind, text)]);
  }
  return Object.fromEntries(entries);
}

/** Whether everything that must be there is, and can be read. */
export const isAnswered = (fields: readonly AnswerField[], typed: Typed): boolean =>
  fields.every(({ name, kind, isRequired }) => {
    const text = typed[name] ?? "";
    if (kind === "flag") return true;
    if (text.trim() === "") return !isRequired;
    if (kind === "number") return Number.isFinite(Number(text));
    return kind !== "json" || canParse(text);
  });

function asValue(kind: AnswerField["kind"], text: string): Json {
  if (kind === "number") return Number(text);
  return kind === "json" && canParse(text) ? (JSON.parse(text) as Json) : text;
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Half typed.
    return false;
  }
}

const membersOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
