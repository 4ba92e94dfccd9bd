import type { Extension } from "@downbeat/server";
import { reasonOf, TerminalError } from "../errors.ts";
import { openConnections } from "./connections.ts";
import { runJdbc } from "./jdbc.ts";

const TYPE = "JDBC";
const AT_ONCE = 256;

/** SQL statements as tasks, whether or not the AI tasks are there. */
export const extension: Extension = {
  name: "sql",
  taskTypes: [{ type: TYPE, mode: "outside", initialStatus: "SCHEDULED" }],
  open({ config, log }) {
    const connections = openConnections(config, log);
    return {
      executors: [
        {
          type: TYPE,
          concurrency: AT_ONCE,
          async run(call) {
            try {
              return await runJdbc(call, connections);
            } catch (error) {
              return {
                status: error instanceof TerminalError ? "FAILED_WITH_TERMINAL_ERROR" : "FAILED",
                outputMode: "replace",
                reasonForIncompletion: reasonOf(error, { hasPrefix: false }),
              };
            }
          },
        },
      ],
      close: connections.close,
    };
  },
};
