import { json } from "@codemirror/lang-json";
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { jsonLook } from "./json-look.ts";

type Side = { readonly label: string; readonly text: string };
type Props = { readonly left: Side; readonly right: Side };

/** Two texts side by side, what differs marked, what does not folded. */
export function JsonDiff({ left, right }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const view = new MergeView({
      parent: place.current,
      a: { doc: left.text, extensions: extensionsOf(left.label) },
      b: { doc: right.text, extensions: extensionsOf(right.label) },
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    return () => view.destroy();
  }, [left.text, left.label, right.text, right.label]);
  return <div ref={place} className="h-full [&>.cm-mergeView]:h-full" />;
}

const differences = EditorView.theme({
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--bad-soft)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--good-soft)" },
  // Not a darker ground: the colours of the text would not stand out from it.
  "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText": { background: "none", fontWeight: "700" },
  ".cm-collapsedLines": { background: "var(--surface-sunken)", color: "var(--ink-soft)" },
  // Its own marks are not in every font.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '""' },
  ".cm-line": { color: "var(--ink)" },
});

const extensionsOf = (label: string) => [
  lineNumbers(),
  json(),
  jsonLook,
  differences,
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
];
