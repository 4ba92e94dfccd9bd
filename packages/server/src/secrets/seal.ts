import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A key of the secret store; `id` tells which key a value was sealed with and says nothing about the key. */
export type SealKey = { readonly id: string; readonly bytes: Buffer };

/** A value that only the owner of the key can read. */
export type Sealed = { readonly keyId: string; readonly text: string };

/** 32 bytes, written as base64 or as 64 hexadecimal digits; undefined when the text is neither. */
export function readSealKey(text: string): SealKey | undefined {
  const word = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(word) ? Buffer.from(word, "hex") : Buffer.from(word, "base64");
  if (bytes.length !== KEY_BYTES) return undefined;
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 16), bytes };
}

/** The name is sealed in: a value cannot be put under another name. */
export function seal(key: SealKey, name: string, value: string): Sealed {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, iv);
  cipher.setAAD(Buffer.from(name));
  const parts = [iv, cipher.update(value, "utf8"), cipher.final()];
  return { keyId: key.id, text: Buffer.concat([...parts, cipher.getAuthTag()]).toString("base64") };
}

/** Throws when the key is another one, or the text was changed. */
export function unseal(key: SealKey, name: string, { text }: Sealed): string {
  const bytes = Buffer.from(text, "base64");
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]).toString("utf8");
}
