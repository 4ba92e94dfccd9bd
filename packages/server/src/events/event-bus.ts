import { isJsonObject, type Json, ownMember, type PublishEvent } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import type { Runtime } from "../runtime/runtime.ts";
import { type Effect, effectOf, type Message } from "./actions.ts";
import type { EventHandlers, NamedHandler } from "./event-handlers.ts";
import { expandJson } from "./expand-json.ts";

/**
 * Brings messages to the handlers that wait for them. A message comes out of the outbox, and what its handlers do goes
 * back into it in the same commit: each action happens once, whatever crashes in between.
 */
export class EventBus {
  readonly #runtime: Runtime;
  readonly #handlers: EventHandlers;

  constructor(runtime: Runtime, handlers: EventHandlers) {
    this.#runtime = runtime;
    this.#handlers = handlers;
  }

  async handle({ names, messageId, payload }: PublishEvent, consumes: OutboxKey): Promise<void> {
    const effects: Effect[] = [];
    const event = names[0] ?? "";
    for (const handler of this.#matching(names)) {
      effects.push(...(await this.#effectsOf(handler, { event, messageId, payload: payload.value })));
    }
    await this.#runtime.consumeInto(consumes, `event ${messageId}`, effects);
  }

  /** Each handler once, whichever of the names it listens to. */
  #matching(names: readonly string[]): ReadonlySet<NamedHandler> {
    return new Set(names.flatMap((name) => this.#handlers.of(name, true)));
  }

  async #effectsOf(handler: NamedHandler, message: Message): Promise<readonly Effect[]> {
    const { log } = this.#runtime;
    const effects: Effect[] = [];
    try {
      if (!(await this.#isMet(handler, message.payload))) return [];
    } catch (error) {
      log.warn("The condition of an event handler failed", { handler: handler.name, error: String(error) });
      return [];
    }
    for (const action of handler.actions) {
      try {
        effects.push(await effectOf(this.#runtime, action, message));
      } catch (error) {
        // The other actions are none the worse for it.
        log.warn("An action of an event handler did nothing", {
          handler: handler.name,
          action: action.action ?? "",
          messageId: message.messageId,
          reason: error instanceof Error ? error.message : String(error),
        });
      }
    }
    return effects;
  }

  async #isMet({ condition, evaluatorType }: NamedHandler, payload: Json): Promise<boolean> {
    if (condition === undefined || condition.trim() === "") return true;
    const expanded = expandJson(payload);
    if (evaluatorType === "value-param") {
      return isTruthy(isJsonObject(expanded) ? (ownMember(expanded, condition) ?? null) : null);
    }
    const outcome = await this.#runtime.sandbox.evaluate(condition, JSON.stringify(expanded));
    if (outcome.kind !== "value") throw new Error(outcome.message);
    return isTruthy(JSON.parse(outcome.text) as Json);
  }
}

const isTruthy = (value: Json): boolean =>
  typeof value === "string" ? value.toLowerCase() === "true" : Boolean(value);
