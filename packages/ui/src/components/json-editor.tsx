import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";

type Props = {
  readonly value: string;
  /** Left out: the text can only be read. */
  readonly onChange?: (text: string) => void;
  /** Of the element that names it. */
  readonly labelId?: string;
  readonly label?: string;
  /** Given once, when the editor is made. */
  readonly extensions?: readonly Extension[];
};

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent-ink)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--running)" },
  { tag: [tags.bool, tags.null], color: "var(--stopped)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--surface-hover) 60%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--surface-raised)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-panels": { backgroundColor: "var(--surface-sunken)", color: "var(--ink)" },
});

/** CodeMirror for JSON: folding, search, errors at their line. The text is the caller's. */
export function JsonEditor({ value, onChange, labelId, label, extensions = [] }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const isReadOnly = onChange === undefined;
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const initial = useEffectEvent(() => ({ value, extensions }));

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
          syntaxHighlighting(colours),
          look,
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
    return () => editor.destroy();
  }, [isReadOnly, labelId, label]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} className="h-full" />;
}
