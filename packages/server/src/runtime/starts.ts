import { executionLimit, isRateLimitQueue, rateLimitQueue, type StartEvent } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import { type Attached, type Dispatcher, IdempotencyConflict, NoFreeSlot } from "./dispatcher.ts";
import type { Runtime } from "./runtime.ts";

/** Starts executions: at once, or when there is a slot of what their rateLimitConfig allows. */
export class Starts {
  readonly #runtime: Runtime;
  readonly #dispatcher: Dispatcher;

  constructor(runtime: Runtime, dispatcher: Dispatcher) {
    this.#runtime = runtime;
    this.#dispatcher = dispatcher;
  }

  /** Takes the slot its rateLimitConfig asks for with the start, or starts it waiting for one. */
  async start(event: StartEvent, attached: Attached): Promise<void> {
    const { definitions } = this.#runtime;
    const plan = definitions.findPlan(event.defHash) ?? (await definitions.loadPlan(event.defHash));
    const limit = executionLimit(plan, event);
    if (limit === undefined) {
      await this.#dispatcher.dispatch(event.id, event, attached);
      return;
    }
    const limited = { ...event, rateLimitKey: limit.key };
    try {
      const slot = { name: limit.key, concurrent: limit.concurrent };
      await this.#dispatcher.dispatch(event.id, limited, { ...attached, slot });
    } catch (error) {
      // A child has a parent that waits for it: it is queued whatever the policy says.
      if (!(error instanceof NoFreeSlot) || (limit.policy === "REJECT" && event.parentWorkflowId === undefined))
        throw error;
      await this.#dispatcher.dispatch(event.id, { ...limited, waitsForSlot: true }, attached);
      // The slot may have come free before this one stood in line.
      await this.admit(limit.key);
    }
  }

  /** A start out of the outbox. One that an event asked for under a key another execution has is done with. */
  async startSent(event: StartEvent, consumes: OutboxKey): Promise<void> {
    const { idempotencyKey: key, workflowName: name } = event;
    if (event.event === undefined || key === undefined) return await this.start(event, { consumes });
    try {
      await this.start(event, { consumes, idempotency: { name, key, replaces: undefined } });
    } catch (error) {
      if (!(error instanceof IdempotencyConflict)) throw error;
      await this.#runtime.consumeInto(consumes, `start ${event.id}`, []);
    }
  }

  /** Lets executions that wait for a slot of this key begin, oldest first, as long as there are slots. */
  async admit(key: string): Promise<void> {
    let last: string | undefined;
    for (;;) {
      const [next] = await this.#runtime.store.queues.ready(rateLimitQueue(key), 1);
      const head = next === undefined ? undefined : await this.#runtime.loadHead(next.id);
      // The same one again: it could not be admitted, and asking on would never end.
      if (head === undefined || head.id === last) return;
      last = head.id;
      const plan = await this.#runtime.definitions.loadPlan(head.defHash);
      const concurrent = plan.def.rateLimitConfig?.concurrentExecLimit ?? 0;
      try {
        await this.#dispatcher.dispatch(head.id, { kind: "admit" }, { slot: { name: key, concurrent } });
      } catch (error) {
        if (error instanceof NoFreeSlot) return;
        throw error;
      }
    }
  }

  /** The same for whatever they wait for. */
  async admitAll(): Promise<void> {
    for (const queue of (await this.#runtime.store.queues.sizes()).keys())
      if (isRateLimitQueue(queue)) await this.admit(queue.slice(rateLimitQueue("").length));
  }
}
