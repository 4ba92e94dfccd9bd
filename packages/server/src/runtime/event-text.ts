import { type Event, RawJson, type SecretPlace } from "@downbeat/engine";

type Raw = { readonly text: string; readonly secrets?: readonly SecretPlace[] };

/** An event for another execution, as text for the outbox. Payloads stay text inside it. */
export function eventToText(event: Event): string {
  switch (event.kind) {
    case "start":
      return JSON.stringify({ ...event, input: toRaw(event.input) });
    case "child-ended":
      return JSON.stringify({ ...event, output: toRaw(event.output) });
    case "publish":
      return JSON.stringify({ ...event, payload: toRaw(event.payload) });
    case "task-result":
      return event.result.output === undefined
        ? JSON.stringify(event)
        : JSON.stringify({ ...event, result: { ...event.result, output: toRaw(event.result.output) } });
    default:
      return JSON.stringify(event);
  }
}

export function eventFromText(text: string): Event {
  const event = JSON.parse(text) as Event & { readonly input?: Raw; readonly output?: Raw; readonly payload?: Raw };
  switch (event.kind) {
    case "start":
      return { ...event, input: fromRaw(event.input) };
    case "child-ended":
      return { ...event, output: fromRaw(event.output) };
    case "publish":
      return { ...event, payload: fromRaw(event.payload) };
    case "task-result":
      return event.result.output === undefined
        ? event
        : { ...event, result: { ...event.result, output: fromRaw(event.result.output) } };
    default:
      return event;
  }
}

const toRaw = (raw: RawJson): Raw =>
  raw.secrets.length === 0 ? { text: raw.text } : { text: raw.text, secrets: raw.secrets };
const fromRaw = (raw: Raw): RawJson => new RawJson(raw.text, raw.secrets);
