import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { type Steps, stepsTo } from "./json-places.ts";
import { type Schema, type Schemas, schemaAt } from "./schema.ts";

/** What may stand at a place besides what the schema lists. */
export type Suggest = (steps: Steps, text: string) => readonly string[];

type Source = { readonly schemas: () => Schemas; readonly schemaName: string; readonly suggest?: Suggest };

/** Completes keys and values of a JSON text by a schema of the interface. */
export const schemaCompletion = (source: Source): Extension =>
  autocompletion({ override: [(context) => complete(source, context)], icons: false });

function complete({ schemas, schemaName, suggest }: Source, context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const text = state.doc.toString();
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (node.name === "PropertyName" && pos > node.from) {
    const steps = stepsTo(text, node).slice(0, -1);
    const properties = schemaAt(schemas(), schemaName, steps)?.properties ?? {};
    return { from: node.from + 1, options: Object.entries(properties).map(toKey), validFor: /^\w*$/ };
  }
  if (node.name === "String" && pos > node.from) {
    const steps = stepsTo(text, node);
    const options = valuesAt(schemaAt(schemas(), schemaName, steps), suggest?.(steps, text) ?? []);
    return options.length === 0 ? null : { from: node.from + 1, options, validFor: /^[\w${}.\-:]*$/ };
  }
  if (context.explicit && node.name === "Object") {
    const properties = schemaAt(schemas(), schemaName, stepsTo(text, node))?.properties ?? {};
    return { from: pos, options: Object.entries(properties).map(toWholeKey) };
  }
  return null;
}

function valuesAt(schema: Schema | undefined, suggested: readonly string[]): readonly Completion[] {
  const values = [...(schema?.enum ?? []).filter((value) => typeof value === "string"), ...suggested];
  return [...new Set(values)].map((label) => ({ label, type: "constant", apply: replaceString(label) }));
}

const toKey = ([label, schema]: [string, Schema]): Completion => ({
  label,
  type: "property",
  detail: typeText(schema),
  apply: (view, completion, from, to) => {
    const end = afterQuote(view, to);
    const hasColon = /^\s*:/.test(view.state.sliceDoc(end, end + 20));
    const value = hasColon ? "" : `: ${blank(schema)}`;
    insert({ view, completion, from, to: end, text: `${label}"${value}`, back: hasColon ? 0 : backOf(schema) });
  },
});

const toWholeKey = ([label, schema]: [string, Schema]): Completion => ({
  label,
  type: "property",
  detail: typeText(schema),
  apply: (view, completion, from, to) =>
    insert({ view, completion, from, to, text: `"${label}": ${blank(schema)}`, back: backOf(schema) }),
});

const replaceString =
  (label: string): Exclude<Completion["apply"], string | undefined> =>
  (view, completion, from, to) => {
    const rest = /^[^"\n]*/.exec(view.state.sliceDoc(to, to + 200))?.[0].length ?? 0;
    insert({ view, completion, from, to: to + rest, text: label, back: 0 });
  };

/** Past the quote that closes, which brackets closed for the writer. */
const afterQuote = (view: EditorView, to: number): number => (view.state.sliceDoc(to, to + 1) === '"' ? to + 1 : to);

type Insertion = {
  readonly view: EditorView;
  readonly completion: Completion;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** How far before its end the cursor goes: between quotes or brackets. */
  readonly back: number;
};

function insert({ view, completion, from, to, text, back }: Insertion): void {
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length - back },
    annotations: pickedCompletion.of(completion),
  });
}

const typeText = ({ type, $ref }: Schema): string => $ref?.split("/").at(-1) ?? [type ?? ""].flat().join(" or ");

const blanks: Readonly<Record<string, string>> = { string: '""', array: "[]", object: "{}" };
const blank = ({ type, $ref, default: usual }: Schema): string =>
  $ref !== undefined
    ? "{}"
    : typeof type === "string" && Object.hasOwn(blanks, type)
      ? (blanks[type] ?? "")
      : JSON.stringify(usual ?? 0);
const backOf = (schema: Schema): number => (/^(""|\[\]|\{\})$/.test(blank(schema)) ? 1 : 0);
