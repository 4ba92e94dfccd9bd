type Waiting<Key, Row> = {
  readonly key: Key;
  readonly answer: Promise<Row | undefined>;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
};

const MOST_KEYS = 1000;

/**
 * Point reads that come at once are asked as one statement: those of the same turn, and those that come while the last
 * statement is under way. None joins a statement that was sent before it came: it could miss a commit made in between.
 */
export class Batch<Key, Row> {
  readonly #read: (keys: readonly Key[]) => Promise<readonly Row[]>;
  readonly #nameOf: (key: Key) => string;
  readonly #nameOfRow: (row: Row) => string;
  #waiting = new Map<string, Waiting<Key, Row>>();
  #isUnderWay = false;

  constructor(options: {
    readonly read: (keys: readonly Key[]) => Promise<readonly Row[]>;
    /** Keys that read alike are asked once. */
    readonly nameOf: (key: Key) => string;
    readonly nameOfRow: (row: Row) => string;
  }) {
    this.#read = options.read;
    this.#nameOf = options.nameOf;
    this.#nameOfRow = options.nameOfRow;
  }

  find(key: Key): Promise<Row | undefined> {
    const name = this.#nameOf(key);
    const known = this.#waiting.get(name);
    if (known !== undefined) return known.answer;
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
    this.#waiting.set(name, { key, answer: promise, resolve, reject });
    if (this.#waiting.size === 1 && !this.#isUnderWay) queueMicrotask(() => this.#flush());
    return promise;
  }

  #flush(): void {
    if (this.#isUnderWay || this.#waiting.size === 0) return;
    const asked = this.#take();
    this.#isUnderWay = true;
    void this.#ask(asked).then(() => {
      this.#isUnderWay = false;
      this.#flush();
    });
  }

  #take(): ReadonlyMap<string, Waiting<Key, Row>> {
    if (this.#waiting.size <= MOST_KEYS) {
      const all = this.#waiting;
      this.#waiting = new Map();
      return all;
    }
    const some = new Map([...this.#waiting].slice(0, MOST_KEYS));
    for (const name of some.keys()) this.#waiting.delete(name);
    return some;
  }

  async #ask(asked: ReadonlyMap<string, Waiting<Key, Row>>): Promise<void> {
    try {
      const rows = await this.#read([...asked.values()].map(({ key }) => key));
      const found = new Map(rows.map((row) => [this.#nameOfRow(row), row]));
      for (const [name, { resolve }] of asked) resolve(found.get(name));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  }
}
