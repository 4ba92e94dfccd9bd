/** A provider refused a call that we make without a library. */
export class ProviderRefusal extends Error {
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(message: string, response: Response) {
    super(message);
    this.status = response.status;
    this.retryAfter = response.headers.get("retry-after") ?? undefined;
  }
}

/** The body of a good answer; throws `<api> <status>: <body>` for any other. */
export async function readAnswer(response: Response, api: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.ok) return bytes;
  const body = Buffer.from(bytes).toString();
  throw new ProviderRefusal(`${api} ${response.status}: ${body}`, response);
}

/** The same, as JSON. */
export async function readJsonAnswer<T>(response: Response, api: string): Promise<T> {
  const text = Buffer.from(await readAnswer(response, api)).toString();
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Error(`Expected JSON from ${response.url}, got "${text.slice(0, 100)}"`, { cause: error });
  }
}
