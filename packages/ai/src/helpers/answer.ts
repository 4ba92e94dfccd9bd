import { parentPort } from "node:worker_threads";

/** What a helper is asked, and what it answers: errors travel as their messages. */
export type Question = { readonly id: number; readonly request: unknown };
export type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };

/** Makes this thread or process answer each question with what `answer` gives, one after the other. */
export function answerQuestions<Request>(answer: (request: Request) => unknown): void {
  let last: Promise<void> = Promise.resolve();
  const send = (message: Answer): void =>
    void (parentPort === null ? process.send?.(message) : parentPort.postMessage(message));
  (parentPort ?? process).on("message", ({ id, request }: Question) => {
    last = last.then(async () => send(await toAnswer(id, () => answer(request as Request))));
  });
}

async function toAnswer(id: number, answer: () => unknown): Promise<Answer> {
  try {
    return { id, value: await answer() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
