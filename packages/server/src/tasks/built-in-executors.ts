import { hostname } from "node:os";
import { LIMITED_QUEUE } from "@downbeat/engine";
import { type RefuseTarget, refuseAddresses } from "../outbound/address-policy.ts";
import { behindAllowList, readAllowList } from "../outbound/allow-list.ts";
import { createOutboundClient } from "../outbound/client.ts";
import type { Executor } from "../runtime/outside-work.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { eventExecutor } from "./event-executor.ts";
import { httpExecutor } from "./http-executor.ts";
import { StreamProducers } from "./stream-producers.ts";
import { streamPublishExecutors } from "./stream-publish-executor.ts";

const LIMITED_AT_ONCE = 200;

export type BuiltInExecutors = { readonly all: readonly Executor[]; readonly close: () => Promise<void> };

/** Who does the work outside of the core's own task types, and the connections they hold. */
export function openBuiltInExecutors(runtime: Runtime): BuiltInExecutors {
  const { config, events, store } = runtime;
  const limits = {
    connectTimeoutMs: config["service.tasks.http.connect-timeout"],
    readTimeoutMs: config["service.tasks.http.read-timeout"],
    maxResponseBytes: config["service.tasks.http.max-response-size"],
  };
  const blocked = refuseAddresses(config["service.tasks.http.blocked-addresses"]);
  const client = createOutboundClient({ ...limits, refuse: blocked });
  const list = readAllowList(config);
  const refuseAll: RefuseTarget = (target) => blocked(target) ?? list.refuseUrl(target.url) ?? list.refuse(target);
  const guarded = behindAllowList(createOutboundClient({ ...limits, refuse: refuseAll }), list);
  const producers = new StreamProducers({
    most: config["service.tasks.stream-publish.cacheSize"],
    keepMs: config["service.tasks.stream-publish.cacheTime"],
    now: runtime.clock,
  });
  const limited: Executor = {
    type: LIMITED_QUEUE,
    concurrency: LIMITED_AT_ONCE,
    run: async ({ head, task }) => {
      await runtime.dispatch(head.id, { kind: "begin", no: task.no });
      return undefined;
    },
  };
  return {
    all: [
      httpExecutor({ client, guarded, concurrency: config["service.tasks.http.concurrency"], hostName: hostname() }),
      limited,
      eventExecutor({ sinks: events.sinks, store }),
      ...streamPublishExecutors({
        isEnabled: config["service.tasks.stream-publish.enabled"],
        producers,
        refuse: blocked,
        requestTimeoutMs: config["service.tasks.stream-publish.requestTimeout"],
        maxBlockMs: config["service.tasks.stream-publish.maxBlock"],
      }),
    ],
    async close() {
      await producers.close();
      client.close();
      guarded.close();
    },
  };
}
