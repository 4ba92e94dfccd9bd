import { Readable } from "node:stream";
import type { Body } from "@downbeat/server";
import { InvalidAgent } from "../invalid-agent.ts";

/** For the manifest, and for what stands around the parts. */
const BESIDES = 4 * 1024 * 1024;

export type SkillUpload = { readonly manifest: string; readonly bytes: Buffer };

/** Bodies of the parts `manifest` and `package`. They are collected as bytes: as text a package would be lost. */
export class SkillUploads {
  readonly #packageBytes: number;
  /** Undefined where there was too much of it. */
  readonly #collected = new WeakMap<object, Buffer | undefined>();
  readonly body: Body<unknown>;

  constructor(packageBytes: number) {
    this.#packageBytes = packageBytes;
    this.body = {
      schema: {
        type: "object",
        properties: { manifest: { type: "string" }, package: { type: "string", format: "binary" } },
        required: ["manifest", "package"],
      },
      description: "The manifest as JSON, and the package, a zip",
      required: true,
      contentType: "multipart/form-data",
      mostBytes: Number.MAX_SAFE_INTEGER,
      divide: (request, _reply, payload, done) => {
        collect(payload as Readable, packageBytes + BESIDES).then(
          ({ bytes, received }) => {
            this.#collected.set(request, bytes);
            done(null, Object.assign(Readable.from([]), { receivedEncodedLength: received }));
          },
          (error: Error) => done(error, payload),
        );
      },
      read: () => undefined,
    };
  }

  /** What a request brought. Throws InvalidAgent. */
  async take(request: { readonly headers: { readonly "content-type"?: string | undefined } }): Promise<SkillUpload> {
    const body = this.#collected.get(request);
    if (body === undefined) throw new InvalidAgent(`Skill package exceeds max size of ${this.#packageBytes} bytes`);
    const form = await readForm(body, request.headers["content-type"] ?? "");
    const file = form.get("package");
    if (file === null) throw new InvalidAgent("Skill package is required");
    return { manifest: (await bytesOf(form.get("manifest") ?? "")).toString("utf8"), bytes: await bytesOf(file) };
  }
}

/** All of it, or undefined when it is too much: the rest is read and dropped, so that the client gets to read why. */
async function collect(payload: Readable, most: number): Promise<{ bytes: Buffer | undefined; received: number }> {
  const parts: Buffer[] = [];
  let received = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).length;
    if (received <= most) parts.push(chunk as Buffer);
    else parts.length = 0;
  }
  return { bytes: received > most ? undefined : Buffer.concat(parts), received };
}

async function readForm(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch (error) {
    const expected = "Expected multipart/form-data with the parts manifest and package, got a body that is not";
    throw new InvalidAgent(expected, { cause: error });
  }
}

const bytesOf = async (part: File | string): Promise<Buffer> =>
  typeof part === "string" ? Buffer.from(part) : Buffer.from(await part.arrayBuffer());
