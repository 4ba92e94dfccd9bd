import { lookup as resolveHost } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const privateAddresses = new BlockList();
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 3],
] as const) {
  privateAddresses.addSubnet(address, prefix, "ipv4");
}
for (const [address, prefix] of [
  ["::", 128],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  privateAddresses.addSubnet(address, prefix, "ipv6");
}

const isPrivate = (address: string): boolean => privateAddresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** A name or address that may not be connected to. */
export class RefusedAddress extends Error {
  constructor(host: string) {
    super(`Outbound access denied: ${host} resolves to a private address`);
  }
}

/** Throws when the URL names a private address itself. */
export function refusePrivateLiteral(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0 && isPrivate(host)) throw new RefusedAddress(host);
}

/** Resolves a name for a connection and refuses it when any of its addresses is private. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isPrivate(address))) {
      callback(new RefusedAddress(hostname), []);
      return;
    }
    if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
