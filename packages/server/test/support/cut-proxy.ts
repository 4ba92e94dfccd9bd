import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type CutProxy = {
  readonly address: string;
  /** Ends every connection; new ones are let through. */
  readonly cut: () => void;
  readonly close: () => void;
};

/** A way to a server that can be cut, as networks are. */
export async function startCutProxy(target: { readonly host: string; readonly port: number }): Promise<CutProxy> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(target.port, target.host);
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(from);
      from.pipe(to);
      // Cut on purpose: the other half goes too.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
