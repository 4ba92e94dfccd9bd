import { isJsonObject, type Schema } from "@downbeat/engine";
import type { Body } from "./api.ts";
import { kindOf, parseJson } from "./body.ts";
import { invalidInput } from "./errors.ts";
import { listOf } from "./models.ts";

export type Tag = { readonly key: string; readonly value: string; readonly type: string };

const tagSchema: Schema = {
  type: "object",
  required: ["key", "value"],
  properties: { key: { type: "string" }, value: { type: "string" }, type: { type: "string", default: "METADATA" } },
};

/** One tag, or several. */
export const tagBody: Body<readonly Tag[]> = {
  schema: { anyOf: [tagSchema, listOf(tagSchema)] },
  description: "A tag, or a list of them",
  required: true,
  read(body) {
    const given = parseJson(body);
    return (Array.isArray(given) ? given : [given]).map((tag: unknown, index) => {
      if (!isJsonObject(tag)) throw invalidInput(`Expected tag ${index} to be an object, got ${kindOf(tag)}`);
      const { key, value, type } = tag;
      if (typeof key !== "string" || key === "") throw invalidInput(`Expected key of tag ${index} to be a text`);
      if (typeof value !== "string") throw invalidInput(`Expected value of tag ${index} to be a text`);
      return { key, value, type: typeof type === "string" ? type : "METADATA" };
    });
  },
};

export const keyOf = ({ key, value }: Tag): string => JSON.stringify([key, value]);

export function without(tags: readonly Tag[], unwanted: readonly Tag[]): readonly Tag[] {
  const keys = new Set(unwanted.map(keyOf));
  return tags.filter((tag) => !keys.has(keyOf(tag)));
}
