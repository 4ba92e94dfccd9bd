import {
  type Fields,
  flag,
  type Model,
  model,
  optionalInteger,
  optionalOneOf,
  optionalText,
  type Problem,
} from "@downbeat/engine";

const verifiers = ["STANDARD", "HMAC_SHA256", "HEADER", "NONE"] as const;
const encodings = ["hex", "base64"] as const;

/** An address at which others report what happened with them, and how it is known that it was they. */
export type Webhook = {
  readonly name?: string;
  readonly description?: string;
  readonly active: boolean;
  readonly verifier?: (typeof verifiers)[number];
  /** Name of the secret that both sides know. */
  readonly secretName?: string;
  /** Where the signature or the shared word stands. */
  readonly header?: string;
  /** What stands before the signature, such as `sha256=`. */
  readonly prefix?: string;
  readonly encoding?: (typeof encodings)[number];
  /** STANDARD: how far the sender's clock may be off. */
  readonly toleranceSeconds?: number;
  /** Holds an id that is the same when a request is sent again. */
  readonly idHeader?: string;
};

/** One that can be used. */
export type NamedWebhook = Webhook & { readonly name: string; readonly verifier: (typeof verifiers)[number] };

// Absent optional properties are left out by the readers, which the types of the tables cannot say.
export const webhookModel: Model<Webhook> = model(
  "Webhook",
  () =>
    ({
      name: optionalText,
      description: optionalText,
      active: flag(true),
      verifier: optionalOneOf(...verifiers),
      secretName: optionalText,
      header: optionalText,
      prefix: optionalText,
      encoding: optionalOneOf(...encodings),
      toleranceSeconds: optionalInteger,
      idHeader: optionalText,
    }) as Fields<Webhook>,
);

/** What keeps a webhook from being used. */
export function webhookProblems({ name, verifier, secretName, header, toleranceSeconds }: Webhook): readonly Problem[] {
  const problems: Problem[] = [];
  const need = (path: string, isGiven: boolean, message: string): void => {
    if (!isGiven) problems.push({ path, message });
  };
  need("name", name !== undefined && /^[\w.-]+$/.test(name), "Expected name to be letters, digits, _, . and -");
  need("verifier", verifier !== undefined, `Expected verifier to be one of ${verifiers.join(", ")}`);
  if (verifier !== undefined && verifier !== "NONE")
    need("secretName", hasText(secretName), `Expected secretName to name a secret for ${verifier}`);
  if (verifier === "HMAC_SHA256" || verifier === "HEADER")
    need("header", hasText(header), `Expected header to name the header that ${verifier} looks at`);
  need(
    "toleranceSeconds",
    toleranceSeconds === undefined || toleranceSeconds > 0,
    "Expected toleranceSeconds to be more than 0",
  );
  return problems;
}

const hasText = (text: string | undefined): boolean => text !== undefined && text.trim() !== "";
