import { renderText } from "../expression/render-text.ts";
import type { Json } from "../json.ts";

/** Truth of a condition's result: a boolean as it is, a number above zero, nothing else. */
export const isTrue = (value: Json): boolean => value === true || (typeof value === "number" && value > 0);

/** A script's result as the text that SWITCH compares with its cases. */
export const scriptText = (value: Json): string => renderText(value);
