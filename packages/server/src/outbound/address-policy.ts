import { lookup as resolveHost } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { OutboundError } from "./outbound-error.ts";

export interface OutboundTarget {
  readonly url: URL;
  /** The IP address that would be connected to. */
  readonly address: string;
}

/** Ends the sentence "Outbound access denied: …", or gives undefined when the target may be reached. */
export type RefuseTarget = (target: OutboundTarget) => string | undefined;

/** Refuses the given addresses and networks (`10.0.0.0/8`), whatever name leads to them. */
export function refuseAddresses(blocked: readonly string[]): RefuseTarget {
  const list = listAddresses(blocked);
  return ({ url, address }) =>
    contains(list, address) ? `${url.hostname} resolves to a blocked address (${address})` : undefined;
}

/**
 * Throws when the URL names an address that may not be reached. A name passes here; it is checked by `checkedLookup`
 * when it is resolved, so that what was checked is what is connected to.
 */
export function checkLiteralAddress(url: URL, refuse: RefuseTarget): void {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    checkTarget({ url, address: host }, refuse);
  }
}

/** Resolves a name once for the connection and refuses it when any of its addresses is refused. */
export function checkedLookup(url: URL, refuse: RefuseTarget): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      try {
        for (const { address } of addresses) {
          checkTarget({ url, address }, refuse);
        }
      } catch (refusal) {
        callback(refusal as OutboundError, []);
        return;
      }
      if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, addresses[0]!.address, addresses[0]!.family);
      }
    });
  };
}

/** The host as an address or a name, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * Where clouds hand out credentials to whoever asks: link-local IPv4 (AWS, Google, Azure, ECS, EKS), its IPv6 forms, and
 * the ones of Alibaba and Azure outside it. No setting opens them. BlockList reads IPv4-mapped IPv6 addresses as IPv4.
 */
const metadataAddresses = listAddresses([
  "169.254.0.0/16",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2::/32",
  "fd20:ce::254",
  "fe80::a9fe:a9fe",
  "64:ff9b::a9fe:0/112",
]);

function checkTarget(target: OutboundTarget, refuse: RefuseTarget): void {
  const reason = contains(metadataAddresses, target.address)
    ? `${target.url.hostname} resolves to a cloud metadata address (${target.address})`
    : refuse(target);
  if (reason !== undefined) {
    throw new OutboundError(`Outbound access denied: ${reason}`, { failure: "refused" });
  }
}

function listAddresses(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) {
      list.addAddress(address, family);
    } else {
      list.addSubnet(address, Number(prefix), family);
    }
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}
