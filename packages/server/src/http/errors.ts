import { hostname } from "node:os";
import { DefinitionFormatError, type Problem, type Refusal } from "@downbeat/engine";
import { SearchTimeout } from "@downbeat/store";
import { MissingSubWorkflow } from "../runtime/definitions.ts";
import { NoFreeSlot } from "../runtime/dispatcher.ts";
import { QueryError } from "../search/query-error.ts";

/** A failure the caller hears of, with its status. */
export class HttpError extends Error {
  readonly status: number;
  readonly retryable: boolean;
  readonly validationErrors: readonly Problem[] | undefined;

  constructor(
    status: number,
    message: string,
    options: { validationErrors?: readonly Problem[]; retryable?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.retryable = options.retryable ?? false;
    this.validationErrors = options.validationErrors;
  }
}

export const notFound = (message: string): HttpError => new HttpError(404, message);
export const conflict = (message: string): HttpError => new HttpError(409, message);
export const invalidInput = (message: string): HttpError => new HttpError(400, message);
export const noSuchWorkflow = (id: string): HttpError => notFound(`No such workflow found by id: ${id}`);

const validationFailed = (validationErrors: readonly Problem[]): HttpError =>
  new HttpError(400, "Validation failed, check below errors for detail.", { validationErrors });

/** Throws when there are any. */
export function assertValid(problems: readonly Problem[]): void {
  if (problems.length > 0) throw validationFailed(problems);
}

const refusalStatus: Record<Refusal["code"], number> = {
  "no-execution": 404,
  "not-found": 404,
  conflict: 409,
  invalid: 400,
  full: 429,
};

/** Throws when the engine declined. */
export function assertAccepted(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  throw new HttpError(refusalStatus[refusal.code], refusal.message, { retryable: refusal.code === "full" });
}

const instance = hostname();

export type ErrorBody = {
  readonly status: number;
  readonly message: string;
  readonly instance: string;
  readonly retryable: boolean;
  readonly validationErrors?: readonly Problem[];
};

/** The one place that turns a failure into the interface's error body. */
export function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof HttpError) {
    const { status, message, retryable, validationErrors } = error;
    return { status, message, instance, retryable, ...(validationErrors === undefined ? {} : { validationErrors }) };
  }
  if (error instanceof DefinitionFormatError) return plain(400, error.message);
  if (error instanceof MissingSubWorkflow) return plain(404, error.message);
  if (error instanceof NoFreeSlot) return plain(429, error.message);
  if (error instanceof QueryError) return plain(400, error.message);
  if (error instanceof SearchTimeout) return plain(503, error.message);
  if (
    error instanceof Error &&
    "statusCode" in error &&
    typeof error.statusCode === "number" &&
    error.statusCode < 500
  ) {
    return plain(error.statusCode, error.message);
  }
  return plain(500, error instanceof Error ? error.message : String(error));
}

/** What went wrong, for a record that people read. */
export function reasonOf(error: unknown): string {
  const { message, validationErrors = [] } = toErrorBody(error);
  return validationErrors.length === 0 ? message : validationErrors.map((problem) => problem.message).join("; ");
}

const plain = (status: number, message: string): ErrorBody => ({ status, message, instance, retryable: false });
