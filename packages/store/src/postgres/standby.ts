import { type Client, end } from "./connection.ts";

/** A connection that is made when it is needed, and again when it was lost. */
export class Standby {
  readonly #connect: (onLost: () => void) => Promise<Client>;
  #client: Promise<Client> | undefined;

  constructor(connect: (onLost: () => void) => Promise<Client>) {
    this.#connect = connect;
  }

  connected(): Promise<Client> {
    if (this.#client === undefined) {
      const client = this.#connect(() => this.#forget(client));
      client.catch(() => this.#forget(client));
      this.#client = client;
    }
    return this.#client;
  }

  /** A connection that failed: the next to ask gets another. */
  drop(failed: Client): void {
    const current = this.#client;
    current?.then(
      (client) => {
        if (client === failed) this.#forget(current);
      },
      () => undefined,
    );
    void end(failed);
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (client !== undefined) await end(client);
  }

  #forget(client: Promise<Client>): void {
    if (this.#client === client) this.#client = undefined;
  }
}
