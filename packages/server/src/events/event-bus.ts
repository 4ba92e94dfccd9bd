import { isJsonObject, type Json, ownMember, type PublishEvent } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import type { Runtime } from "../runtime/runtime.ts";
import { type Effect, effectOf, type Message, NotThere } from "./actions.ts";
import type { EventHandlers, NamedHandler } from "./event-handlers.ts";
import { expandJson } from "./expand-json.ts";
import type { EventAction } from "./handler.ts";
import type { ActionRecord, EventRecords, Handled } from "./records.ts";

/** A message from outside the server. */
export type Received = Message & {
  /** Under which a second delivery of the same message is known; without it every delivery is a message of its own. */
  readonly guard?: string;
  readonly replayOf?: string;
};

/** What became of a message. A duplicate was handled before, and nothing was done about it. */
export type Receipt = { readonly isDuplicate: boolean; readonly records: readonly ActionRecord[] };

/** What a handler would do about a message. */
export type Preview = {
  readonly name: string;
  readonly active: boolean;
  readonly isMet: boolean;
  /** Why the condition could not be asked. */
  readonly error?: string;
  readonly actions: readonly {
    readonly action: EventAction["action"];
    readonly effect?: Effect;
    readonly error?: string;
  }[];
};

/** Messages of one queue are written down in the order they came, though their conditions are asked side by side. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  take(): { readonly mine: Promise<void>; readonly pass: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = this.#last;
    this.#last = mine.then(() => promise);
    return { mine, pass: resolve };
  }
}

/**
 * Brings messages to the handlers that wait for them. What the handlers do goes into the outbox in the same commit that
 * takes the message out of it, or writes down that it was seen: each action happens once, whatever crashes in between.
 */
export class EventBus {
  readonly #runtime: Runtime;
  readonly #handlers: EventHandlers;
  readonly #records: EventRecords;

  constructor(runtime: Runtime, handlers: EventHandlers, records: EventRecords) {
    this.#runtime = runtime;
    this.#handlers = handlers;
    this.#records = records;
  }

  /** A message out of the outbox. */
  async handle({ names, messageId, payload }: PublishEvent, consumes: OutboxKey): Promise<void> {
    const handlers = this.#matching(names, true);
    const message = { event: names[0] ?? "", messageId, payload: payload.value };
    const { effects, records } = await this.#outcomeOf(handlers, message);
    const documents =
      handlers.length === 0
        ? []
        : this.#records.documentsOf({ ...message, created: this.#runtime.clock(), records: records });
    await this.#runtime.consumeInto(consumes, `event ${messageId}`, effects, documents);
    this.#records.noteStored(documents);
  }

  /** A message from elsewhere. Resolves when what it causes is on disk. */
  async receive(received: Received, turns?: Turns): Promise<Receipt> {
    const turn = turns?.take();
    try {
      const outcome = await this.#outcomeOf(this.#matching([received.event], true), received);
      await turn?.mine;
      const committing = this.#commit(received, outcome);
      turn?.pass();
      return await committing;
    } finally {
      turn?.pass();
    }
  }

  /** A message that could not be handled, for the reason given, is put aside for someone to look at. */
  async putAside(received: Received, reason: string): Promise<void> {
    const handled: Handled = { ...received, created: this.#runtime.clock(), records: [] };
    const documents = this.#records.documentsOfFailure(handled, reason);
    await this.#runtime.consumeInto(undefined, senderOf(received), [], documents);
    this.#records.noteStored(documents);
  }

  /** What each handler of the event would do, the inactive ones too. */
  async preview(message: Message): Promise<readonly Preview[]> {
    const previews: Preview[] = [];
    for (const handler of this.#matching([message.event], false)) {
      const { name, active } = handler;
      try {
        const isMet = await this.#isMet(handler, message.payload);
        const actions = await Promise.all(
          handler.actions.map(async (action) => {
            try {
              return { action: action.action, effect: await effectOf(this.#runtime, action, message) };
            } catch (error) {
              return { action: action.action, error: reasonOf(error) };
            }
          }),
        );
        previews.push({ name, active, isMet, actions: isMet ? actions : [] });
      } catch (error) {
        previews.push({ name, active, isMet: false, error: reasonOf(error), actions: [] });
      }
    }
    return previews;
  }

  async #commit(received: Received, { effects, records }: Outcome): Promise<Receipt> {
    const handled = { ...received, created: this.#runtime.clock(), records };
    const documents = this.#records.documentsOf(handled);
    const isNew = await this.#runtime.consumeInto(undefined, senderOf(received), effects, documents);
    if (isNew) this.#records.noteStored(documents);
    return isNew ? { isDuplicate: false, records } : { isDuplicate: true, records: [] };
  }

  /** Each handler once, whichever of the names it listens to. */
  #matching(names: readonly string[], activeOnly: boolean): readonly NamedHandler[] {
    return [...new Set(names.flatMap((name) => this.#handlers.of(name, activeOnly)))];
  }

  async #outcomeOf(handlers: readonly NamedHandler[], message: Message): Promise<Outcome> {
    const effects: Effect[] = [];
    const records: ActionRecord[] = [];
    for (const handler of handlers) {
      const outcome = await this.#outcomeOfOne(handler, message);
      effects.push(...outcome.effects);
      records.push(...outcome.records);
    }
    return { effects, records };
  }

  async #outcomeOfOne(handler: NamedHandler, message: Message): Promise<Outcome> {
    const { log, clock } = this.#runtime;
    const { name, condition } = handler;
    const { messageId, event } = message;
    const record = (index: number, rest: Pick<ActionRecord, "status" | "action" | "output">): ActionRecord => ({
      id: `${messageId}_${index}`,
      messageId,
      name,
      event,
      created: clock(),
      ...rest,
    });
    try {
      if (!(await this.#isMet(handler, message.payload))) {
        const output = { msg: "The condition is not met", condition: condition ?? "" };
        return { effects: [], records: [record(0, { status: "SKIPPED", action: null, output })] };
      }
    } catch (error) {
      log.warn("The condition of an event handler failed", { handler: name, error: reasonOf(error) });
      const output = { exception: reasonOf(error), condition: condition ?? "" };
      return { effects: [], records: [record(0, { status: "FAILED", action: null, output })] };
    }
    const effects: Effect[] = [];
    const records: ActionRecord[] = [];
    for (const [index, action] of handler.actions.entries()) {
      const kind = action.action ?? null;
      try {
        const effect = await effectOf(this.#runtime, action, message);
        effects.push(effect);
        records.push(record(index, { status: "COMPLETED", action: kind, output: effect.output }));
      } catch (error) {
        // The other actions are none the worse for it.
        const reason = reasonOf(error);
        log.warn("An action of an event handler did nothing", { handler: name, action: kind ?? "", messageId, reason });
        records.push(
          error instanceof NotThere
            ? record(index, { status: "COMPLETED", action: kind, output: { error: reason } })
            : record(index, { status: "FAILED", action: kind, output: { exception: reason } }),
        );
      }
    }
    return { effects, records };
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

type Outcome = { readonly effects: readonly Effect[]; readonly records: readonly ActionRecord[] };

const senderOf = ({ event, messageId, guard }: Received): string => `event ${event} ${guard ?? messageId}`;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isTruthy = (value: Json): boolean =>
  typeof value === "string" ? value.toLowerCase() === "true" : Boolean(value);
