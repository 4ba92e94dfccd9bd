export type Value = string | number | boolean | null;

const oids = { bool: 16, int8: 20, int2: 21, int4: 23, text: 25 } as const;
type ColumnType = keyof typeof oids;

/** A composite type of the schema: its name, and its columns in order. */
export type RowType = { readonly name: string; readonly columns: Readonly<Record<string, ColumnType>> };
export type Row<T extends RowType> = { readonly [Column in keyof T["columns"]]: Value };

const FIRST_BYTES = 4096;
const MOST_KEPT_BYTES = 2 ** 20;
const ARRAY_HEADER_BYTES = 20;

/**
 * Rows of one composite type as the binary form of an array of it; used again for every group. Against one array per column: half the time of the
 * database for a group of one, 20 % less for groups of 200, and nothing has to be quoted.
 */
export class RowSet<T extends RowType> {
  readonly type: T;
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = ARRAY_HEADER_BYTES;
  #count = 0;

  constructor(type: T) {
    this.type = type;
    this.#names = Object.keys(type.columns);
    this.#types = Object.values(type.columns);
  }

  add(row: Row<T>): void {
    const values = row as Readonly<Record<string, Value>>;
    this.#count++;
    this.#reserve(8);
    const start = this.#at;
    this.#at = this.#bytes.writeInt32BE(this.#names.length, start + 4);
    for (const [column, name] of this.#names.entries()) {
      const type = this.#types[column] ?? "text";
      this.#reserve(16);
      this.#at = this.#bytes.writeInt32BE(oids[type], this.#at);
      this.#put(type, values[name] ?? null);
    }
    this.#bytes.writeInt32BE(this.#at - start - 4, start);
  }

  clear(): void {
    this.#at = ARRAY_HEADER_BYTES;
    this.#count = 0;
    // One large group must not keep its memory for ever.
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  /** Null when there are no rows: what is not there costs the database nothing. */
  take(oid: number): Buffer | null {
    if (this.#count === 0) return null;
    const bytes = this.#bytes;
    bytes.writeInt32BE(1, 0);
    bytes.writeInt32BE(0, 4);
    bytes.writeUInt32BE(oid, 8);
    bytes.writeInt32BE(this.#count, 12);
    bytes.writeInt32BE(1, 16);
    return bytes.subarray(0, this.#at);
  }

  #put(type: ColumnType, value: Value): void {
    if (value === null) {
      this.#at = this.#bytes.writeInt32BE(-1, this.#at);
      return;
    }
    switch (type) {
      case "text":
        this.#putText(String(value));
        return;
      case "int8":
        this.#putLong(Number(value));
        return;
      case "int4":
        this.#at = this.#bytes.writeInt32BE(4, this.#at);
        this.#at = this.#bytes.writeInt32BE(Number(value), this.#at);
        return;
      case "int2":
        this.#at = this.#bytes.writeInt32BE(2, this.#at);
        this.#at = this.#bytes.writeInt16BE(Number(value), this.#at);
        return;
      case "bool":
        this.#at = this.#bytes.writeInt32BE(1, this.#at);
        this.#at = this.#bytes.writeInt8(value ? 1 : 0, this.#at);
        return;
    }
  }

  #putLong(value: number): void {
    const high = Math.floor(value / 2 ** 32);
    this.#at = this.#bytes.writeInt32BE(8, this.#at);
    this.#at = this.#bytes.writeInt32BE(high, this.#at);
    this.#at = this.#bytes.writeUInt32BE(Math.floor(value - high * 2 ** 32), this.#at);
  }

  #putText(text: string): void {
    this.#reserve(4 + text.length * 3 + 16);
    const length = this.#bytes.write(text, this.#at + 4, "utf8");
    this.#bytes.writeInt32BE(length, this.#at);
    this.#at += 4 + length;
  }

  /** Room for so many bytes behind what is there. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
