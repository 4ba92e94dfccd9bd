import type { EventStream, Runtime } from "@downbeat/server";

/** What models say while they say it. It is told once and kept nowhere. */
type TokenSource = {
  readonly watch: (executionId: string, listener: (token: object) => void) => () => void;
};

/** Where nothing tells of tokens, nobody hears of them. */
const sourceOf = (runtime: Runtime): TokenSource | undefined =>
  (runtime as Runtime & { readonly tokens?: TokenSource }).tokens;

/** Hands the tokens of a run and of the runs inside it to those who asked for them; asks for none otherwise. */
export class TokenRelay {
  readonly #source: TokenSource | undefined;
  readonly #runs = new Map<string, (() => void) | undefined>();
  readonly #streams = new Set<EventStream>();

  constructor(runtime: Runtime) {
    this.#source = sourceOf(runtime);
  }

  addRun(id: string): void {
    if (!this.#runs.has(id)) this.#runs.set(id, this.#streams.size === 0 ? undefined : this.#watch(id));
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    for (const [id, end] of this.#runs) if (end === undefined) this.#runs.set(id, this.#watch(id));
    stream.onClose(() => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#rest();
    });
  }

  #watch(id: string): (() => void) | undefined {
    return this.#source?.watch(id, (token) => {
      // It has no number: it cannot be asked for again.
      const text = `event: token\ndata: ${JSON.stringify(token)}\n\n`;
      for (const stream of this.#streams) stream.send(text);
    });
  }

  #rest(): void {
    for (const [id, end] of this.#runs) {
      end?.();
      this.#runs.set(id, undefined);
    }
  }
}
