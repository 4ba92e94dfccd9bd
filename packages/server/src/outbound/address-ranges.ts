import { BlockList, isIP } from "node:net";

/** Where an address leads, seen from outside: what is not public is somebody's inside. */
export type AddressKind = "public" | "loopback" | "link-local" | "private";

/** Of an address that carries others (NAT64, 6to4 …) the most guarded kind of them all. */
export function addressKind(address: string): AddressKind {
  const within = addressesWithin(address);
  const lies = (list: BlockList): boolean => within.some((one) => contains(list, one));
  if (lies(loopback)) return "loopback";
  if (lies(linkLocal)) return "link-local";
  return lies(notPublic) ? "private" : "public";
}

export function isMetadataAddress(address: string): boolean {
  return addressesWithin(address).some((one) => contains(metadata, one));
}

/** Addresses and networks such as `10.0.0.0/8`; an IPv4-mapped IPv6 address counts as the IPv4 one. */
export function listAddresses(entries: readonly string[]): BlockList {
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

/**
 * The address and every IPv4 address a gateway may read out of it: mapped, compatible and translated forms, NAT64, 6to4,
 * Teredo and ISATAP. What is forbidden stays forbidden when a tunnel leads there.
 */
export function addressesWithin(address: string): readonly string[] {
  const plain = address.replace(/%.*$/, "");
  if (isIP(plain) !== 6) return [plain];
  const bytes = bytesOf(plain);
  const at = (...places: readonly number[]): string => places.map((place) => bytes[place]).join(".");
  const carried = carriers.filter(({ list }) => contains(list, plain)).flatMap(({ places }) => places);
  const found = carried.map((places) => at(...places));
  if (contains(teredo, plain)) {
    // The client's address is written with every bit turned.
    found.push(at(4, 5, 6, 7), [12, 13, 14, 15].map((place) => (bytes[place] ?? 0) ^ 0xff).join("."));
  }
  // ISATAP stands in the last half, whatever the network.
  if (bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) found.push(at(12, 13, 14, 15));
  return [plain, ...found];
}

export function contains(list: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

const last = [12, 13, 14, 15];

const carriers = [
  { list: listAddresses(["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"]), places: [last] },
  { list: listAddresses(["2002::/16"]), places: [[2, 3, 4, 5]] },
  {
    // A network's own NAT64 prefix may be of any of these lengths; byte 8 is always left out.
    list: listAddresses(["64:ff9b:1::/48"]),
    places: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], last],
  },
];

const teredo = listAddresses(["2001::/32"]);
const loopback = listAddresses(["127.0.0.0/8", "0.0.0.0/8", "::1", "::"]);
const linkLocal = listAddresses(["169.254.0.0/16", "fe80::/10"]);

/** What the registries of special addresses give to nobody, or to everybody's inside. */
const notPublic = listAddresses([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "64:ff9b:1::/48",
  "100::/64",
  "2001:db8::/32",
  "fc00::/7",
  "fec0::/10",
  "ff00::/8",
]);

/**
 * Where clouds hand out credentials to whoever asks: link-local IPv4 (AWS, Google, Azure, ECS, EKS), its IPv6 forms, and
 * the ones of Alibaba and Azure outside it.
 */
const metadata = listAddresses([
  "169.254.0.0/16",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2::/32",
  "fd20:ce::254",
  "fe80::a9fe:a9fe",
]);

function bytesOf(address: string): readonly number[] {
  // The parser of URLs writes an IPv4 tail as two groups.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}
