import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyText, plainText, safeText } from "./text.ts";

const anyText = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\u0002", "\u0003", "a", "é", "\u{1F600}") });

describe("text that callers chose", () => {
  test("never has U+0000, and comes back as it was", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(safeText(text)).not.toContain("\0");
        expect(plainText(safeText(text))).toBe(text);
      }),
    );
  });

  test("sorts as it would", () => {
    const order = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(Math.sign(order(safeText(one), safeText(other)))).toBe(Math.sign(order(one, other)));
      }),
    );
  });

  test("keys fit into an index, and long ones that differ stay different", () => {
    const long = "\u{1F600}".repeat(20_000);
    expect(Buffer.byteLength(keyText(long))).toBeLessThan(1300);
    expect(keyText(`${long}a`)).not.toBe(keyText(`${long}b`));
    expect(keyText(long)).toBe(keyText(long));
    expect(keyText("short\0")).toBe(safeText("short\0"));
  });
});
