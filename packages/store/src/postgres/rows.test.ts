import { expect, test } from "vitest";
import { RowSet } from "./rows.ts";

const set = () => new RowSet({ name: "t", columns: { small: "int2", plain: "int4", long: "int8" } });
const fits = { small: 2 ** 15 - 1, plain: -(2 ** 31), long: Number.MAX_SAFE_INTEGER };

test("numbers that fit their columns are taken", () => {
  const rows = set();
  rows.add(fits);
  expect(rows.take(7)?.subarray(-8).readBigInt64BE()).toBe(BigInt(Number.MAX_SAFE_INTEGER));
});

test.each([{ small: 2 ** 15 }, { plain: 2 ** 31 }, { plain: -(2 ** 31) - 1 }, { long: 2 ** 63 }])(
  "a number that does not fit its column is refused: %o",
  (wrong) => {
    expect(() => set().add({ ...fits, ...wrong })).toThrow(RangeError);
  },
);
