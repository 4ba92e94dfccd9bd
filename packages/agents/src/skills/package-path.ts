import { InvalidAgent } from "../invalid-agent.ts";

/** The path of a file in a package as we keep it. Throws InvalidAgent for one that could lead out of the package. */
export function packagePath(given: string): string {
  const path = given.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const isSafe =
    path.trim() !== "" &&
    !path.includes("\0") &&
    !/^[A-Za-z]:/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isSafe) throw new InvalidAgent(`Invalid skill package path: ${given}`);
  return path;
}
