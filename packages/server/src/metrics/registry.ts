/** Names of label values, in the order the metric was made with. */
type Labels = readonly string[];

type Metric = { readonly name: string; readonly lines: () => readonly string[] };

/** Callers choose names of definitions and queues: what is beyond this many is counted together. */
const MOST_SERIES = 2000;
const OTHERS = "(others)";

/** What is counted and timed, as Prometheus reads it. */
export class MetricRegistry {
  readonly #metrics: Metric[] = [];

  counter(name: string, help: string, labels: Labels = []): Counter {
    const counter = new Counter(labels);
    this.#add(name, help, "counter", () => counter.lines(name));
    return counter;
  }

  /** Times in milliseconds, told in seconds: how many, all together, and the longest since it was last asked. */
  timer(name: string, help: string, labels: Labels): Timer {
    const timer = new Timer(labels);
    this.#add(`${name}_seconds`, help, "summary", () => timer.lines(`${name}_seconds`));
    this.#add(`${name}_seconds_max`, help, "gauge", () => timer.longestLines(`${name}_seconds_max`));
    return timer;
  }

  /** Read when someone asks. Entries are label values and a number. */
  gauge(name: string, help: string, labels: Labels, read: () => Iterable<readonly [Labels, number]>): void {
    this.#add(name, help, "gauge", () => [...read()].map(([values, value]) => line(name, labels, values, value)));
  }

  text(): string {
    return this.#metrics
      .map(({ lines }) => lines().join("\n"))
      .map((text) => `${text}\n`)
      .join("");
  }

  #add(name: string, help: string, type: string, lines: () => readonly string[]): void {
    this.#metrics.push({ name, lines: () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()] });
  }
}

/** Numbers by label values. */
class Series<Value> {
  readonly #byKey = new Map<string, { readonly values: Labels; value: Value }>();

  at(values: Labels, make: () => Value): { value: Value } {
    const key = values.join("\n");
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= MOST_SERIES && values.some((value) => value !== OTHERS))
      return this.at(
        values.map(() => OTHERS),
        make,
      );
    const made = { values, value: make() };
    this.#byKey.set(key, made);
    return made;
  }

  entries(): Iterable<{ readonly values: Labels; value: Value }> {
    return this.#byKey.values();
  }
}

export class Counter {
  readonly #labels: Labels;
  readonly #series = new Series<number>();

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  add(...values: Labels): void {
    this.#series.at(values, () => 0).value++;
  }

  lines(name: string): readonly string[] {
    return [...this.#series.entries()].map(({ values, value }) => line(name, this.#labels, values, value));
  }
}

export class Timer {
  readonly #labels: Labels;
  readonly #series = new Series<{ count: number; ms: number; longestMs: number }>();

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  note(ms: number, ...values: Labels): void {
    const { value } = this.#series.at(values, () => ({ count: 0, ms: 0, longestMs: 0 }));
    value.count++;
    value.ms += ms;
    value.longestMs = Math.max(value.longestMs, ms);
  }

  lines(name: string): readonly string[] {
    return [...this.#series.entries()].flatMap(({ values, value: { count, ms } }) => [
      line(`${name}_count`, this.#labels, values, count),
      line(`${name}_sum`, this.#labels, values, ms / 1000),
    ]);
  }

  longestLines(name: string): readonly string[] {
    return [...this.#series.entries()].map((series) => {
      const { longestMs } = series.value;
      series.value.longestMs = 0;
      return line(name, this.#labels, series.values, longestMs / 1000);
    });
  }
}

function line(name: string, labels: Labels, values: Labels, value: number): string {
  const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
