/** Why no answer came back. */
export type OutboundFailure =
  /** The URL or a header cannot be sent at all. */
  | "invalid-request"
  /** The address policy forbids the target. */
  | "refused"
  /** No connection: unknown host, refused, unreachable, not in time. */
  | "connect"
  | "read-timeout"
  /** The connection broke, or what came over it was not HTTP. */
  | "broken"
  | "too-many-redirects"
  | "too-large"
  | "aborted";

/** Its message is fit to be shown to users: it holds no header, body or password. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure;
  constructor(message: string, options: ErrorOptions & { readonly failure: OutboundFailure }) {
    super(message, options);
    this.name = "OutboundError";
    this.failure = options.failure;
  }
}
