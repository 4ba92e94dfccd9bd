import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { signature } from "../listeners/webhook-listener.ts";
import type { NamedWebhook } from "./webhook.ts";

export type SignedRequest = {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly now: number;
};

const DEFAULT_TOLERANCE_SECONDS = 300;

/** Why a request is not taken; undefined when it is from whoever knows the secret. */
export function refusalOf(webhook: NamedWebhook, secret: string, request: SignedRequest): string | undefined {
  switch (webhook.verifier) {
    case "NONE":
      return undefined;
    case "HEADER":
      return isSame(given(webhook, request), secret) ? undefined : "The header does not hold the shared secret";
    case "HMAC_SHA256":
      return isSame(given(webhook, request), hmac(webhook, secret, request.body))
        ? undefined
        : "The signature does not match the body";
    case "STANDARD":
      return standardRefusal(webhook, secret, request);
  }
}

const given = ({ header = "", prefix = "" }: NamedWebhook, { headers }: SignedRequest): string => {
  const value = headers[header.toLowerCase()] ?? "";
  return value.startsWith(prefix) ? value.slice(prefix.length) : "";
};

const hmac = ({ encoding = "hex" }: NamedWebhook, secret: string, body: string): string =>
  createHmac("sha256", secret).update(body, "utf8").digest(encoding);

/** webhook-id, webhook-timestamp and webhook-signature; there may be several signatures while secrets change. */
function standardRefusal(webhook: NamedWebhook, secret: string, { headers, body, now }: SignedRequest) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return "Expected the headers webhook-id, webhook-timestamp and webhook-signature";
  const toleranceSeconds = webhook.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  const isTimely = /^\d+$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!isTimely) return `Expected webhook-timestamp to be within ${toleranceSeconds} s of now`;
  const expected = signature(secret, { id, timestamp, body });
  const isSigned = signatures.split(" ").some((one) => isSame(one, expected));
  return isSigned ? undefined : "The signature does not match the body";
}

/** Takes as long whatever the texts are. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
