import type { ErrorBody } from "./types.ts";

/** One call of the interface, as data: it can be made, and it can be shown as curl or code. */
export type ApiRequest = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Under `/api`, its parts encoded: see `path`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** Parts of a form with files, in place of a body. */
  readonly form?: Readonly<Record<string, string | File>>;
};

export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** What the server said no to. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;

  constructor(message: string, options: { status: number; body?: ErrorBody | undefined; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.status = options.status;
    this.body = options.body;
  }
}

/** A path whose parts may hold anything: path`/workflow/${id}`. */
export function path(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return texts.reduce((all, text, i) => `${all}${encodeURIComponent(String(parts[i - 1] ?? ""))}${text}`);
}

/** Path and query of a request, from the server's root. */
export function toUrl({ path: at, query = {} }: Pick<ApiRequest, "path" | "query">): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return `/api${at}${text === "" ? "" : `?${text}`}`;
}

/** Makes a call. Gives what was answered: JSON as a value, other text as text, nothing as undefined. */
export async function call<T>(request: ApiRequest, signal?: AbortSignal): Promise<T> {
  const response = await send(request, signal);
  const text = await response.text();
  if (!response.ok) throw toError(response, text);
  if (text === "") return undefined as T;
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return (isJson ? JSON.parse(text) : text) as T;
}

export const get = <T>(at: string, query?: ApiRequest["query"], signal?: AbortSignal): Promise<T> =>
  call<T>({ method: "GET", path: at, ...(query === undefined ? {} : { query }) }, signal);

async function send(request: ApiRequest, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(toUrl(request), {
      method: request.method,
      headers: {
        accept: "application/json, text/plain",
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.form === undefined ? {} : { body: toFormData(request.form) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The server cannot be reached: is it running?", { status: 0, cause: error });
  }
}

function toFormData(parts: NonNullable<ApiRequest["form"]>): FormData {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) form.set(name, part);
  return form;
}

function toError(response: Response, text: string): ApiError {
  const body = readErrorBody(text);
  const details = body?.validationErrors?.map(({ path: at, message }) => `${at}: ${message}`).join("; ");
  const message = details || body?.message || text || response.statusText || `Status ${response.status}`;
  return new ApiError(message, { status: response.status, body });
}

function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "message" in body ? (body as ErrorBody) : undefined;
  } catch {
    // Not from the interface: a proxy answers in its own words.
    return undefined;
  }
}
