import { type LookupAddress, type LookupAllOptions, lookup as resolveHost } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { addressesWithin, contains, isMetadataAddress, listAddresses } from "./address-ranges.ts";
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
    addressesWithin(address).some((one) => contains(list, one))
      ? `${url.hostname} resolves to a blocked address (${address})`
      : undefined;
}

/**
 * Throws when the URL names an address that may not be reached, or this machine. Any other name passes here; it is checked by `checkedLookup`
 * when it is resolved, so that what was checked is what is connected to.
 */
export function checkLiteralAddress(url: URL, refuse: RefuseTarget): void {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    checkTarget({ url, address: host }, refuse);
  } else if (/(^|\.)localhost\.?$/i.test(host)) {
    // Whatever a resolver says of it.
    checkTarget({ url, address: "127.0.0.1" }, refuse);
  }
}

/** Finds all addresses of a name. */
export type ResolveHost = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves a name once for the connection and refuses it when any of its addresses is refused. */
export function checkedLookup(url: URL, refuse: RefuseTarget, resolve: ResolveHost = resolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
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

function checkTarget(target: OutboundTarget, refuse: RefuseTarget): void {
  // No setting opens these.
  const reason = isMetadataAddress(target.address)
    ? `${target.url.hostname} resolves to a cloud metadata address (${target.address})`
    : refuse(target);
  if (reason !== undefined) {
    throw new OutboundError(`Outbound access denied: ${reason}`, { failure: "refused" });
  }
}
