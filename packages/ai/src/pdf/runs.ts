import type { Token, Tokens } from "marked";
import { printable } from "./letters.ts";
import type { FootnoteRef } from "./markdown.ts";

/** A stretch of text in one style, or a picture between such. */
export type Run =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly isBold: boolean;
      readonly isItalic: boolean;
      readonly isCode: boolean;
      readonly isStruck: boolean;
      readonly link: string | undefined;
    }
  | { readonly kind: "image"; readonly source: string; readonly alt: string };

type Style = Omit<Extract<Run, { kind: "text" }>, "kind" | "text">;

export const plainStyle: Style = { isBold: false, isItalic: false, isCode: false, isStruck: false, link: undefined };

/** The inline tokens of a block as runs; `numberOf` gives the number of a footnote. */
export function runsOf(tokens: readonly Token[], style: Style, numberOf: (footnote: string) => number): readonly Run[] {
  const within = (token: Token, change: Partial<Style>): readonly Run[] => {
    const children = "tokens" in token && token.tokens ? token.tokens : [];
    const changed = { ...style, ...change };
    return children.length > 0 ? runsOf(children, changed, numberOf) : [textRun(plainText(token), changed)];
  };
  return tokens.flatMap((token): readonly Run[] => {
    switch (token.type) {
      case "strong":
        return within(token, { isBold: true });
      case "em":
        return within(token, { isItalic: true });
      case "del":
        return within(token, { isStruck: true });
      case "link":
        return within(token, { link: safeLink((token as Tokens.Link).href) });
      case "codespan":
        return [textRun(plainText(token), { ...style, isCode: true })];
      case "image":
        return [{ kind: "image", source: (token as Tokens.Image).href, alt: (token as Tokens.Image).text }];
      case "br":
        return [textRun("\n", style)];
      case "footnoteRef":
        return [textRun(`[${numberOf((token as FootnoteRef).id)}]`, style)];
      case "html":
        return /^<br\b/i.test(token.raw) ? [textRun("\n", style)] : [];
      default:
        return within(token, {});
    }
  });
}

const textRun = (text: string, style: Style): Run => ({ kind: "text", text: printable(text), ...style });

/** A line end within a paragraph is a blank. */
function plainText(token: Token): string {
  const text = "text" in token && typeof token.text === "string" ? token.text : token.raw;
  return unescapeHtml(text.replaceAll("\n", " "));
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);

/** A click may open a page or a message, and run nothing. */
const safeLink = (href: string): string | undefined => (/^(https?|mailto):/i.test(href) ? href : undefined);
