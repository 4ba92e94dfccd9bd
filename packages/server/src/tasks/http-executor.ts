import { RawJson } from "@downbeat/engine";
import type { OutboundClient } from "../outbound/client.ts";
import type { Executor } from "../runtime/outside-work.ts";
import { runHttpTask } from "./http.ts";

type HttpExecutorOptions = {
  readonly client: OutboundClient;
  /** For calls whose target was discovered rather than written down: `outboundPolicy: "ai"` in the input. */
  readonly guarded: OutboundClient;
  readonly concurrency: number;
  readonly hostName: string;
};

/** Runs HTTP tasks on this server. */
export const httpExecutor = ({ client, guarded, concurrency, hostName }: HttpExecutorOptions): Executor => ({
  type: "HTTP",
  concurrency,
  async run({ input, signal }) {
    const { status, output, reason, workerId } = await runHttpTask(input, {
      client: input["outboundPolicy"] === "ai" ? guarded : client,
      signal,
      asyncComplete: false,
      hostName,
    });
    return {
      status,
      outputMode: "replace",
      output: new RawJson(JSON.stringify(output)),
      workerId,
      ...(reason === undefined ? {} : { reasonForIncompletion: reason }),
    };
  },
});
