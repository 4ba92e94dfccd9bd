export type Value = string | number | boolean | null;

const oids = { bool: 16, int8: 20, int2: 21, int4: 23, text: 25 } as const;
type ColumnType = keyof typeof oids;

/** A composite type of the schema: its name, and its columns in order. */
export type RowType = { readonly name: string; readonly columns: Readonly<Record<string, ColumnType>> };
export type Row<T extends RowType> = { readonly [Column in keyof T["columns"]]: Value };

const FIRST_BYTES = 4096;
const MOST_KEPT_BYTES = 2 ** 20;
const ARRAY_HEADER_BYTES = 20;
const ROW_HEADER_BYTES = 8;
/** Of a column: the number of its type, a length, and whatever is not a text. */
const COLUMN_BYTES = 16;
/** Up to here a loop over characters is faster than a call into Node. */
const SHORT_TEXT = 48;

/**
 * Rows of one composite type as the binary form of an array of it; used again for every group. Against one array per
 * column: half the time of the database for a group of one, 20 % less for groups of 200, and nothing has to be quoted.
 */
export class RowSet<T extends RowType> {
  readonly type: T;
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #view = viewOf(this.#bytes);
  #at = ARRAY_HEADER_BYTES;
  #count = 0;

  constructor(type: T) {
    this.type = type;
    this.#names = Object.keys(type.columns);
    this.#types = Object.values(type.columns);
  }

  add(row: Row<T>): void {
    const values = row as Readonly<Record<string, Value>>;
    const names = this.#names;
    this.#count++;
    this.#reserve(ROW_HEADER_BYTES + COLUMN_BYTES * names.length);
    const start = this.#at;
    this.#at += 4;
    this.#putInt(names.length);
    for (let column = 0; column < names.length; column++) {
      const type = this.#types[column] ?? "text";
      this.#putInt(oids[type]);
      this.#put(type, values[names[column] ?? ""] ?? null, names.length - column);
    }
    this.#view.setInt32(start, this.#at - start - 4);
  }

  clear(): void {
    this.#at = ARRAY_HEADER_BYTES;
    this.#count = 0;
    // One large group must not keep its memory for ever.
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#use(Buffer.allocUnsafe(FIRST_BYTES));
  }

  /** Null when there are no rows: what is not there costs the database nothing. */
  take(oid: number): Buffer | null {
    if (this.#count === 0) return null;
    const view = this.#view;
    view.setInt32(0, 1);
    view.setInt32(4, 0);
    view.setUint32(8, oid);
    view.setInt32(12, this.#count);
    view.setInt32(16, 1);
    return this.#bytes.subarray(0, this.#at);
  }

  #put(type: ColumnType, value: Value, columnsLeft: number): void {
    if (value === null) {
      this.#putInt(-1);
      return;
    }
    switch (type) {
      case "text":
        this.#putText(String(value), columnsLeft);
        return;
      case "int8":
        this.#putInt(8);
        this.#putLong(Number(value));
        return;
      case "int4":
        this.#putInt(4);
        this.#putInt(within(2 ** 31, Number(value)));
        return;
      case "int2":
        this.#putInt(2);
        this.#view.setInt16(this.#at, within(2 ** 15, Number(value)));
        this.#at += 2;
        return;
      case "bool":
        this.#putInt(1);
        this.#view.setInt8(this.#at, value ? 1 : 0);
        this.#at += 1;
        return;
    }
  }

  #putInt(value: number): void {
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  #putLong(value: number): void {
    const high = within(2 ** 31, Math.floor(value / 2 ** 32));
    this.#view.setInt32(this.#at, high);
    this.#view.setUint32(this.#at + 4, value - high * 2 ** 32);
    this.#at += 8;
  }

  #putText(text: string, columnsLeft: number): void {
    // A character takes three bytes at most.
    this.#reserve(3 * text.length + COLUMN_BYTES * columnsLeft);
    const start = this.#at + 4;
    const length = this.#writeAscii(text, start) ?? this.#bytes.write(text, start, "utf8");
    this.#putInt(length);
    this.#at += length;
  }

  /** The bytes of a short text in plain letters, like nearly all ids, names and words are. */
  #writeAscii(text: string, start: number): number | undefined {
    const bytes = this.#bytes;
    if (text.length > SHORT_TEXT) return undefined;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return undefined;
      bytes[start + index] = code;
    }
    return text.length;
  }

  /** Room for so many bytes behind what is there. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

/** A number that its column cannot hold would be written as another one. */
function within(limit: number, value: number): number {
  if (value >= limit || value < -limit) throw new RangeError(`Expected a number below ${limit}, got ${value}`);
  return value;
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
