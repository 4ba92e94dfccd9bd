import { hostname } from "node:os";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g;
const HTTP_DATE = /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g;
const EPOCH_MS = /\b1[6-9]\d{11}\b/g;
const FILE_PATH = /(^|[\s"'(:=])\/(tmp|home|root|var|usr|work)\/[^\s"',;)]*/g;
const DURATIONS = new Set(["executionTime", "queueWaitTime", "loopTime", "firstStartTime", "uptime"]);

/** What two runs can never have in common, by the word that stands for it. */
export class Normaliser {
  readonly #labels = new Map<string, string>();
  readonly #words: readonly (readonly [text: string, word: string])[];

  /** `words`: texts of this run and what is written in their place. */
  constructor(words: Iterable<readonly [text: string, word: string]>) {
    this.#words = [...words];
  }

  /** From now on this id is written as `<label>`. */
  label(id: unknown, label: string): void {
    if (typeof id === "string" && id !== "") this.#labels.set(id, `<${this.text(label)}>`);
  }

  text(given: string): string {
    let text = given;
    for (const [own, word] of this.#words) text = text.replaceAll(own, word);
    return text
      .replace(UUID, (id) => this.#labels.get(id) ?? this.#labels.get(id.toLowerCase()) ?? "<uuid>")
      .replace(ISO, "<iso>")
      .replace(HTTP_DATE, "<http-date>")
      .replace(/\bconductor:(?=\S)/g, "service:")
      .replace(FILE_PATH, "$1<path>")
      .replace(EPOCH_MS, "<ts>");
  }

  value(given: unknown): unknown {
    if (Array.isArray(given)) return given.map((item) => this.value(item));
    if (typeof given === "string") return this.text(given);
    if (typeof given === "number") return given > 1.5e12 && given < 2.6e12 ? "<ts>" : given;
    if (given === null || typeof given !== "object") return given;
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [this.text(key), this.#member(key, value)]));
  }

  #member(key: string, value: unknown): unknown {
    if (key === "instance" && typeof value === "string") return "<instance>";
    // The server that is recorded runs on this machine.
    if (key === "workerId" && value === hostname()) return "<host>";
    if (DURATIONS.has(key) && typeof value === "number" && value !== 0) return "<ms>";
    return this.value(value);
  }
}
