import { createHash } from "node:crypto";
import { describe } from "vitest";
import { describeBackend } from "./backend-suite.ts";

describe("local", () => {
  describeBackend(async () => ({
    storageType: "SERVICE",
    settings: {},
    hashOf: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    close: async () => undefined,
  }));
});
