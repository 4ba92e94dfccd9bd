import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap } from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { jsonLook } from "./json-look.ts";

type Props = {
  readonly value: string;
  /** Left out: the text can only be read. */
  readonly onChange?: (text: string) => void;
  /** Of the element that names it. */
  readonly labelId?: string;
  readonly label?: string;
  /** Given once, when the editor is made. */
  readonly extensions?: readonly Extension[];
  /** Gives the editor when it is made: to move in it. */
  readonly onReady?: (editor: EditorView) => void;
};

/** CodeMirror for JSON: folding, search, errors at their line. The text is the caller's. */
export function JsonEditor({ value, onChange, labelId, label, extensions = [], onReady }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const isReadOnly = onChange === undefined;
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const initial = useEffectEvent(() => ({ value, extensions }));
  const ready = useEffectEvent((editor: EditorView) => onReady?.(editor));

  useEffect(() => {
    if (place.current === null) return;
    const names = labelId === undefined ? { "aria-label": label ?? "JSON" } : { "aria-labelledby": labelId };
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: initial().value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          json(),
          linter(jsonParseLinter()),
          jsonLook,
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...lintKeymap,
          ]),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ ...names, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
          initial().extensions,
        ],
      }),
    });
    view.current = editor;
    ready(editor);
    return () => editor.destroy();
  }, [isReadOnly, labelId, label]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const change = changeOf(editor.state.doc.toString(), value);
    if (change !== undefined) editor.dispatch({ changes: change });
  }, [value]);

  return <div ref={place} className="h-full" />;
}

/** The least that makes one text the other: what was not touched keeps its cursor, folds and place. */
function changeOf(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
