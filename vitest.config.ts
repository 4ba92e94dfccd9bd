import { defineConfig } from "vitest/config";

const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
  throw new Error(`Expected the tests to run on Node 24 or newer, got ${process.version}: use npm test or npx vitest`);
}

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    environment: "node",
    // Processes, not threads: tests start worker threads of their own and some kill them.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
