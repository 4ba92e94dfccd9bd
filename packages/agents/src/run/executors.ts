import { RawJson, type TaskType } from "@downbeat/engine";
import type { Config, Executor } from "@downbeat/server";
import { planAndCompile } from "../plan/inspect-plan.ts";
import { RUN_CODE, RUN_COMMAND, sandboxExecutors } from "../sandbox/sandbox-executors.ts";

const PLAN_AND_COMPILE = "PLAN_AND_COMPILE";
const PLANS_AT_ONCE = 4;

/** Task types that compiled agents use and that the server runs itself. */
export const agentTaskTypes: readonly TaskType[] = [PLAN_AND_COMPILE, RUN_CODE, RUN_COMMAND].map((type) => ({
  type,
  mode: "outside",
  initialStatus: "SCHEDULED",
}));

export const agentExecutors = (config: Config): readonly Executor[] => [
  {
    type: PLAN_AND_COMPILE,
    concurrency: PLANS_AT_ONCE,
    run: async ({ input }) => ({
      status: "COMPLETED",
      outputMode: "replace",
      output: new RawJson(JSON.stringify(planAndCompile(input))),
    }),
  },
  ...sandboxExecutors(config),
];
