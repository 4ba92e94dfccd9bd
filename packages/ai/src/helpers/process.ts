import { fork } from "node:child_process";
import { once } from "node:events";
import type { Answer } from "./answer.ts";
import type { StartPeer } from "./helper.ts";

/**
 * A process of its own, for work on what strangers made. A thread will not do: one that runs out of its memory may take
 * the whole process along (seen with Node 24 and 64 MB). It has nothing of the server's environment.
 */
export const inProcess =
  (script: URL, memoryMb: number): StartPeer =>
  ({ onAnswer, onEnd }) => {
    const child = fork(script, {
      execArgv: [`--max-old-space-size=${memoryMb}`],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const gone = once(child, "exit").catch(() => undefined);
    child.on("message", (message) => onAnswer(message as Answer));
    child.on("error", onEnd);
    child.on("exit", (_, signal) =>
      onEnd(new Error(`The process ended before it answered${signal === "SIGABRT" ? ": it ran out of memory" : ""}`)),
    );
    return {
      ask: (question) => void child.send(question),
      end: async () => {
        child.kill("SIGKILL");
        await gone;
      },
      ref: () => {
        child.ref();
        child.channel?.ref();
      },
      unref: () => {
        child.unref();
        child.channel?.unref();
      },
    };
  };
