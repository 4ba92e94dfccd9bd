import { createHmac, timingSafeEqual } from "node:crypto";
import { ConfigError } from "../config.ts";

export type SigningKey = { readonly id: string; readonly secret: string };

export type UrlPurpose = "upload" | "download";

type Signed = {
  readonly purpose: UrlPurpose;
  readonly workflowId: string;
  readonly fileId: string;
};

/** What the signed part of a URL says, as it came. */
export type SignatureQuery = { readonly [name in "op" | "exp" | "kid" | "sig"]?: string | undefined };

/** Signs content URLs, and tells its own from others. The first key signs, all of them verify: that is how keys rotate. */
export class UrlSigner {
  readonly #keys: readonly SigningKey[];

  constructor(keys: readonly [SigningKey, ...SigningKey[]]) {
    this.#keys = keys;
  }

  /** The query of a URL that is good until then. */
  sign(signed: Signed, expiresAt: number): string {
    const [key] = this.#keys as readonly [SigningKey];
    const exp = String(Math.floor(expiresAt / 1000));
    const query = {
      op: signed.purpose,
      exp,
      kid: key.id,
      sig: signatureOf(signed, exp, key.secret).toString("base64url"),
    };
    return new URLSearchParams(query).toString();
  }

  /** What the URL is good for; undefined when it is not good for this file, or not any more. */
  verify({ op, exp, kid, sig }: SignatureQuery, file: Omit<Signed, "purpose">, now: number): UrlPurpose | undefined {
    if (op !== "upload" && op !== "download") return undefined;
    if (exp === undefined || !/^\d{1,12}$/.test(exp) || Number(exp) * 1000 <= now) return undefined;
    const key = this.#keys.find(({ id }) => id === kid);
    if (key === undefined || sig === undefined) return undefined;
    const expected = signatureOf({ ...file, purpose: op }, exp, key.secret);
    const given = Buffer.from(sig, "base64url");
    // A text that decodes to the right bytes in another spelling is not the one we wrote.
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs && sig === expected.toString("base64url") ? op : undefined;
  }
}

function signatureOf({ purpose, workflowId, fileId }: Signed, exp: string, secret: string): Buffer {
  // The last two lines are for the upload id and the part number, which local files do not have.
  const text = ["v1", purpose, workflowId, fileId, exp, "", ""].join("\n");
  return createHmac("sha256", secret).update(text).digest();
}

const KEYS = "service.file-storage.local.signing.keys";

/** Reads `id:secret` texts. Throws with what is wrong with them. */
export function parseSigningKeys(texts: readonly string[]): SigningKey[] {
  const keys = texts.map((text) => {
    const [id = "", ...rest] = text.split(":");
    const secret = rest.join(":");
    if (id.trim() === "" || secret.trim() === "") {
      throw new ConfigError([
        `Expected every key of ${KEYS} to be written as id:secret, got one without an id or a secret`,
      ]);
    }
    return { id, secret };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new ConfigError([`Expected every key of ${KEYS} to have an id of its own, got one twice`]);
  }
  return keys;
}
