import type { Limits } from "./limits.ts";
import { SandboxRefusal } from "./refusal.ts";
import { type IsolatedResult, runIsolated } from "./run-isolated.ts";
import { splitWords } from "./split-words.ts";
import { Turns } from "./turns.ts";

export type SandboxSettings = {
  /** Off unless an operator turns it on. */
  readonly isEnabled?: boolean;
  readonly allowNetwork?: boolean;
  /** How many run at a time; the others wait. */
  readonly maxRuns?: number;
  readonly limits?: Partial<Limits>;
};

const DEFAULT_MAX_RUNS = 4;

export type CodeRequest = {
  readonly code: string;
  readonly language: string;
  readonly allowedLanguages: readonly string[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

export type CommandRequest = {
  /** A command line, or a command whose arguments are in `args`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** As a line for a shell, where the agent allows one. */
  readonly shell?: boolean;
  readonly allowShell?: boolean;
  readonly allowedCommands: readonly string[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

/** Command and code tools of agents, each within the allow-list of its agent and the limits of the server. */
export type Sandbox = {
  readonly runCode: (request: CodeRequest) => Promise<IsolatedResult>;
  readonly runCommand: (request: CommandRequest) => Promise<IsolatedResult>;
};

export function createSandbox(settings: SandboxSettings = {}): Sandbox {
  const { isEnabled = false, allowNetwork = false, maxRuns = DEFAULT_MAX_RUNS, limits = {} } = settings;
  const turns = new Turns(maxRuns);
  const options = (timeoutMs: number | undefined, signal: AbortSignal | undefined) => ({
    ...limits,
    allowNetwork,
    // An agent may ask for less time than the server gives, not for more.
    ...(timeoutMs === undefined ? {} : { timeoutMs: Math.min(timeoutMs, limits.timeoutMs ?? timeoutMs) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const assertEnabled = () => {
    if (!isEnabled) throw new SandboxRefusal("Command and code tools are turned off on this server");
  };
  return {
    async runCode({ code, language, allowedLanguages, timeoutMs, signal }) {
      assertEnabled();
      assertListed("Language", language.toLowerCase(), allowedLanguages);
      return turns.take(() => runIsolated({ code, language, ...options(timeoutMs, signal) }), signal);
    },
    async runCommand(request) {
      assertEnabled();
      const { timeoutMs, signal } = request;
      const command = commandOf(request);
      return turns.take(() => runIsolated({ command, ...options(timeoutMs, signal) }), signal);
    },
  };
}

/** Inside a shell nobody sees which commands are called, so the shell itself has to be on the list. */
function commandOf({ command, args, shell, allowShell, allowedCommands }: CommandRequest): readonly string[] {
  if (shell === true) {
    if (allowShell !== true)
      throw new SandboxRefusal("Shell commands are not allowed: give the command and its arguments");
    assertListed("Command", "bash", allowedCommands);
    return ["bash", "-c", command, "bash", ...(args ?? [])];
  }
  const [name = "", ...words] = args === undefined ? splitWords(command) : [command, ...args];
  assertListed("Command", name, allowedCommands);
  return [name, ...words];
}

function assertListed(what: "Language" | "Command", name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return;
  const list = allowed.length === 0 ? "none" : allowed.join(", ");
  throw new SandboxRefusal(`${what} '${name}' is not allowed. Allowed: ${list}`);
}
