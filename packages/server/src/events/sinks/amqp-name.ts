/** What a name such as `orders?durable=true` says. */
export type AmqpName = {
  readonly name: string;
  readonly exchangeType?: string;
  readonly bindQueueName?: string;
  readonly routingKey?: string;
  readonly durable?: boolean;
  readonly exclusive?: boolean;
  readonly autoDelete?: boolean;
  readonly deliveryMode?: number;
  readonly maxPriority?: number;
};

type Draft = { -readonly [K in keyof AmqpName]: AmqpName[K] };

/** Parameters after the question mark go by their names in any case; unknown ones say nothing. */
export function parseAmqpName(text: string): AmqpName {
  const [name = "", parameters = ""] = splitOnce(text, "?");
  const draft: Draft = { name };
  for (const part of parameters.split("&")) {
    const [key = "", value = ""] = splitOnce(part, "=");
    read[key.toLowerCase()]?.(draft, value);
  }
  return draft;
}

const isTrue = (value: string): boolean => value.toLowerCase() === "true";

const read: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  exchangetype: (draft, value) => {
    draft.exchangeType = value;
  },
  bindqueuename: (draft, value) => {
    draft.bindQueueName = value;
  },
  routingkey: (draft, value) => {
    draft.routingKey = value;
  },
  durable: (draft, value) => {
    draft.durable = isTrue(value);
  },
  exclusive: (draft, value) => {
    draft.exclusive = isTrue(value);
  },
  autodelete: (draft, value) => {
    draft.autoDelete = isTrue(value);
  },
  deliverymode: (draft, value) => {
    if (value !== "1" && value !== "2") throw new Error("Delivery mode must be 1 or 2");
    draft.deliveryMode = Number(value);
  },
  maxpriority: (draft, value) => {
    if (!/^\d+$/.test(value)) throw new Error(`Expected maxPriority to be a number, got ${value}`);
    draft.maxPriority = Number(value);
  },
};

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
