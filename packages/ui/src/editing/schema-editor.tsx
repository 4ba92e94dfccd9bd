import { type Diagnostic, linter } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { JsonEditor } from "../components/json-editor.tsx";
import { findPlace, type Place, type Steps } from "./json-places.ts";
import { useSchemas } from "./schema.ts";
import { type Suggest, schemaCompletion } from "./schema-completion.ts";

/** Something wrong with a text, and where. */
export type TextProblem = { readonly message: string; readonly steps: Steps };
export type FoundProblem = TextProblem & Place & { readonly line: number };

/** What to bring into sight. A new object asks again. */
export type Reveal = { readonly steps: Steps };

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Of the interface's description. */
  readonly schemaName: string;
  readonly suggest?: Suggest;
  /** Asks for what is wrong with a text that is JSON. */
  readonly check?: (value: unknown) => Promise<readonly TextProblem[]>;
  readonly onProblems?: (problems: readonly FoundProblem[]) => void;
  readonly reveal?: Reveal | undefined;
};

const TYPING_MS = 400;

/** A JSON editor that knows what it edits: it completes by a schema and marks what is wrong where it is. */
export function SchemaEditor(props: Props) {
  const { label, value, onChange, schemaName, reveal } = props;
  const schemas = useSchemas();
  const view = useRef<EditorView>(undefined);
  const current = useRef({ ...props, schemas });
  useEffect(() => {
    current.current = { ...props, schemas };
  });
  const extensions = useMemo(
    () => [
      schemaCompletion({
        schemas: () => current.current.schemas,
        schemaName,
        suggest: (steps, text) => current.current.suggest?.(steps, text) ?? [],
      }),
      linter((editor) => lint(editor, current.current), { delay: TYPING_MS }),
    ],
    [schemaName],
  );
  const show = useEffectEvent(({ steps }: Reveal) => {
    const editor = view.current;
    if (editor === undefined) return;
    const { from } = findPlace(editor.state.doc.toString(), steps);
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  });
  useEffect(() => {
    if (reveal !== undefined) show(reveal);
  }, [reveal]);
  return (
    <JsonEditor
      label={label}
      value={value}
      onChange={onChange}
      extensions={extensions}
      onReady={(editor) => {
        view.current = editor;
      }}
    />
  );
}

async function lint(editor: EditorView, { check, onProblems }: Pick<Props, "check" | "onProblems">) {
  const { doc } = editor.state;
  const text = doc.toString();
  const value = parse(text);
  if (value instanceof Error) {
    onProblems?.([{ message: value.message, steps: [], ...endOf(text), line: doc.lines }]);
    return [];
  }
  const found = ((await check?.(value)) ?? []).map((problem): FoundProblem => {
    const place = findPlace(text, problem.steps);
    return { ...problem, ...place, line: doc.lineAt(place.from).number };
  });
  // What was typed meanwhile is looked at next.
  if (editor.state.doc !== doc) return [];
  onProblems?.(found);
  return found.map(({ from, to, message }): Diagnostic => ({ from, to, message, severity: "error" }));
}

const endOf = (text: string): Place => ({ from: text.length, to: text.length });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
