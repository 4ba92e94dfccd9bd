import type { Notice } from "./notice.ts";

/** What a listener is told, with everything it needs to tell others. */
export type Told = {
  /** The same when it is told again. */
  readonly id: string;
  readonly notice: Notice;
  /** JSON text of the summary of the execution or the task. */
  readonly summary: string;
  /** The same with input and output as JSON instead of texts. */
  readonly summaryWithObjects: string;
  /** The variable `statusNotifier` of the execution, which may send its notices elsewhere. */
  readonly redirect: Redirect;
};

export type Redirect = {
  readonly url?: string;
  readonly endpointWorkflow?: string;
  readonly endpointTask?: string;
};

/** Someone who is told about executions. */
export type Listener = {
  readonly name: string;
  /** Whether a notice is for it, given whether its definition has listeners switched on. */
  readonly wants: (notice: Notice, isEnabled: boolean) => boolean;
  /** Resolves when whoever is behind it has it. Rejects: it is told again. */
  readonly tell: (told: Told) => Promise<void>;
};
