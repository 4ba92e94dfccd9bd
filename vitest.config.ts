import { defineConfig } from "vitest/config";

const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
  throw new Error(`Expected the tests to run on Node 24 or newer, got ${process.version}: use npm test or npx vitest`);
}

export default defineConfig({
  test: {
    environment: "node",
    // Processes, not threads: tests start worker threads of their own and some kill them.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: {
          name: "one server",
          include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "bench/*.test.mjs"],
        },
      },
      {
        // The interface once more, with two servers on one PostgreSQL that are asked in turn.
        extends: true,
        test: {
          name: "two servers",
          include: ["packages/server/test/http/**/*.test.ts", "packages/agents/test/http/run.test.ts"],
          env: { DOWNBEAT_TEST_NODES: "2" },
        },
      },
    ],
  },
});
