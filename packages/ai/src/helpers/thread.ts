import { Worker } from "node:worker_threads";
import type { StartPeer } from "./helper.ts";

/** A thread of this process, for work of ours on data of ours. */
export const inThread =
  (script: URL, data: unknown): StartPeer =>
  ({ onAnswer, onEnd }) => {
    const worker = new Worker(script, { workerData: data });
    worker.on("message", onAnswer);
    worker.on("error", (error) => onEnd(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => onEnd(new Error("The thread ended before it answered")));
    return {
      ask: (question) => worker.postMessage(question),
      end: () => worker.terminate(),
      ref: () => worker.ref(),
      unref: () => worker.unref(),
    };
  };
