import { connect, createServer, type Server, type Socket } from "node:net";

const sync = Buffer.from([0x53, 0, 0, 0, 4]);

/** Stands between a store and its database, and loses what it is told to. */
export class LossyProxy {
  /** The database's address, by way of this. */
  readonly url: string;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, database: Socket]>();
  #answersToLose = 0;
  /** Answers that were lost so far. */
  lost = 0;
  /** Statements that went through: each ends with a message of its own. */
  statements = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(to: string): Promise<LossyProxy> {
    const { hostname, port } = new URL(to);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const url = new URL(to);
    url.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const proxy = new LossyProxy(server, url.href);
    server.on("connection", (client) => proxy.#join(client, connect(Number(port), hostname)));
    return proxy;
  }

  /** The next so many answers reach nobody, and their connections end. What was asked was done. */
  loseAnswers(count: number): void {
    this.#answersToLose = count;
  }

  /** All connections end on this side; the database does not hear of it. */
  cut(): void {
    for (const [client, database] of this.#pairs) {
      client.destroy();
      // Left open, as when a machine loses its power.
      database.removeAllListeners("data");
      database.resume();
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, database: Socket): void {
    const pair = [client, database] as const;
    this.#pairs.add(pair);
    let isAsked = false;
    client.on("data", (bytes) => {
      isAsked = this.#answersToLose > 0;
      if (bytes.subarray(-sync.length).equals(sync)) this.statements++;
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      if (isAsked && this.#answersToLose > 0) {
        this.#answersToLose--;
        this.lost++;
        client.destroy();
        database.destroy();
        return;
      }
      client.write(bytes);
    });
    for (const socket of pair) socket.on("error", () => undefined);
    database.on("close", () => client.destroy());
    client.on("close", () => this.#pairs.delete(pair));
  }
}
