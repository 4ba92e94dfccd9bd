import { expect, test } from "vitest";
import { addressKind, isMetadataAddress } from "./address-ranges.ts";

test.each([
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["0.0.0.0", "loopback"],
  ["::1", "loopback"],
  ["::", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::127.0.0.1", "loopback"],
  ["::ffff:0:7f00:1", "loopback"],
  ["64:ff9b::7f00:1", "loopback"],
  ["64:ff9b:1:7f00:0:100::", "loopback"],
  ["2002:7f00:1::", "loopback"],
  ["2001:0:4136:e378:8000:63bf:80ff:fffe", "loopback"],
  ["2a00:1450::5efe:7f00:1", "loopback"],
  ["169.254.10.1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["10.1.2.3", "private"],
  ["172.31.0.1", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["198.18.0.1", "private"],
  ["224.0.0.1", "private"],
  ["255.255.255.255", "private"],
  ["fd12::1", "private"],
  ["ff02::1", "private"],
  ["2002:c0a8:101::", "private"],
  ["8.8.8.8", "public"],
  ["172.32.0.1", "public"],
  ["2606:4700::1111", "public"],
  ["64:ff9b::808:808", "public"],
] as const)("%s is %s", (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test.each([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2::254",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a9fe:a9fe",
  "2002:a9fe:a9fe::1",
  "2001:0:a9fe:a9fe::",
  "fe80::5efe:a9fe:a9fe",
])("%s leads to a metadata service", (address) => {
  expect(isMetadataAddress(address)).toBe(true);
});
