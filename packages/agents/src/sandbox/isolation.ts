import { randomInt } from "node:crypto";

/** A way to get namespaces of one's own, and to be nobody in them. */
export type Isolation = {
  readonly name: string;
  /** What stands before the program that sets up the inside. */
  readonly launcher: (options: { readonly allowNetwork: boolean; readonly uid: number }) => readonly string[];
  /** Whether the inside begins as the system's root, which then has to become somebody else. */
  readonly isRoot: boolean;
};

const namespaces = [
  "--mount",
  "--pid",
  "--fork",
  "--ipc",
  "--uts",
  "--cgroup",
  "--kill-child",
  "--propagation=private",
];

const unshare = (allowNetwork: boolean): readonly string[] => [
  "unshare",
  ...namespaces,
  ...(allowNetwork ? [] : ["--net"]),
];

/** For a server that is not root: it stays who it is, and is root only in a namespace where that counts for nothing. */
const userNamespace: Isolation = {
  name: "user namespace",
  launcher: ({ allowNetwork }) => [...unshare(allowNetwork), "--user", "--map-root-user"],
  isRoot: false,
};

/** For a server that is root: the same, after becoming a user that nobody else is. The limit of processes is per user. */
const userNamespaceOfAnother: Isolation = {
  name: "user namespace of another user",
  launcher: ({ allowNetwork, uid }) => [
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${uid}`,
    "--clear-groups",
    "--",
    ...unshare(allowNetwork),
    "--user",
    "--map-root-user",
  ],
  isRoot: false,
};

/** For a server that is root where user namespaces are forbidden. */
const namespacesOfRoot: Isolation = {
  name: "namespaces of root",
  launcher: ({ allowNetwork }) => unshare(allowNetwork),
  isRoot: true,
};

/** The ways to try, the best first. */
export function isolationsFor(uid: number): readonly Isolation[] {
  return uid === 0 ? [userNamespaceOfAnother, namespacesOfRoot] : [userNamespace];
}

/** A user id far above those that are given to people and to containers. */
export const freshUid = (): number => randomInt(1_500_000_000, 2_000_000_000);
