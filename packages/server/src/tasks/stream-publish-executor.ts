import type { Executor } from "../runtime/outside-work.ts";
import { runStreamPublish, type StreamPublishOptions } from "./stream-publish.ts";

const CONCURRENCY = 100;

/** Runs STREAM_PUBLISH tasks on this server, under both of their names. */
export const streamPublishExecutors = (options: StreamPublishOptions): readonly Executor[] =>
  ["STREAM_PUBLISH", "KAFKA_PUBLISH"].map((type) => ({
    type,
    concurrency: CONCURRENCY,
    run: ({ input }) => runStreamPublish(type, input, options),
  }));
