import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent-ink)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--running)" },
  { tag: [tags.bool, tags.null], color: "var(--stopped)" },
]);

const frame = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--surface-hover) 60%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--surface-raised)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8" },
  ".cm-diagnostic": { borderLeft: "3px solid var(--bad)", fontFamily: "var(--font-sans)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--quiet-soft)", color: "var(--ink-soft)", border: "none" },
  ".cm-panels": { backgroundColor: "var(--surface-sunken)", color: "var(--ink)" },
});

/** How JSON looks in an editor, in both themes. */
export const jsonLook: Extension = [syntaxHighlighting(colours), frame];
