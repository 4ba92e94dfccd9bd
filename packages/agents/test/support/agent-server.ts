import { type JsonObject, RawJson, type TaskType } from "@downbeat/engine";
import type { Executor, OutsideCall } from "@downbeat/server";
import { type ServerOptions, startServer, type TestServer } from "@downbeat/server/testing";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type CompiledAgent, compileAgent, extension, readAgentConfig } from "../../src/index.ts";

type Client = TestServer["client"];
type Execution = Awaited<ReturnType<Client["execution"]>>;
export type Task = Execution["tasks"][number];
export type Input = Readonly<Record<string, unknown>>;

/** What a scripted model or server answers: an output, or an error to fail with. */
type Answer = JsonObject | Error;
/** Answers one after the other, the last one again; or by what is asked. */
type Script = readonly Answer[] | ((input: Input, turn: number) => Answer);

// Some tests are several runs, each of them many tasks; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });
const endedWithinMs = 18_000;

/** Task types that the server gets from elsewhere; here a script stands for each. */
const types = [
  "LLM_CHAT_COMPLETE",
  "LIST_MCP_TOOLS",
  "LIST_API_TOOLS",
  "CALL_MCP_TOOL",
  "PLANNER_CONTEXT_FETCH",
  "GENERATE_IMAGE",
];

export type AgentServer = Awaited<ReturnType<typeof startAgentServer>>;

/** A real server whose models and remote services are scripted by reference name, with workers that a test serves. */
export async function startAgentServer(options: Pick<ServerOptions, "folder" | "settings" | "env"> = {}) {
  const scripts = new Map<string, Script>();
  const asked = new Map<string, Input[]>();
  const taskTypes = types.map((type): TaskType => ({ type, mode: "outside", initialStatus: "SCHEDULED" }));
  const run = async ({ task, input }: OutsideCall) => {
    const calls = asked.get(task.ref) ?? [];
    asked.set(task.ref, [...calls, input]);
    const script = scripts.get(task.ref);
    const answer =
      typeof script === "function" ? script(input, calls.length + 1) : (script?.[calls.length] ?? script?.at(-1));
    if (answer === undefined) throw new Error(`The test has no answer for ${task.ref}`);
    if (answer instanceof Error) throw answer;
    return { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify(answer)) } as const;
  };
  const executors = types.map((type): Executor => ({ type, concurrency: 4, run }));
  const server = await startServer({
    env: { SERVICE_SECRET_TOK: "s3cret" },
    ...options,
    taskTypes,
    executors,
    extensions: [extension],
  });
  const { client } = server;
  const stopped = new AbortController();
  const serving: Promise<void>[] = [];

  /** Serves a worker until the server closes. */
  function serve(taskType: string, work: (input: Input) => JsonObject | Error): void {
    const loop = async () => {
      while (!stopped.signal.aborted) {
        for (const task of await client.poll(taskType, { timeout: 500, count: 10 })) {
          const output = work(task.inputData);
          await (output instanceof Error ? client.fail(task, output.message) : client.complete(task, output));
        }
      }
    };
    serving.push(loop());
  }

  /** Compiles an agent, registers what its workers need and starts it. */
  async function start(
    config: JsonObject,
    input: Input = { prompt: "hello" },
    compiled = compile(config),
  ): Promise<string> {
    const defs = compiled.workerDefs.map(({ def }) => ({ ...def, retryCount: 0 }));
    if (defs.length > 0) await client.put("/metadata/taskdefs", defs[0]);
    for (const def of defs.slice(1)) await client.put("/metadata/taskdefs", def);
    const { workflowDef } = compiled;
    return client.start(
      workflowDef.name,
      { media: [], context: {}, session_id: "session-1", ...input },
      { workflowDef },
    );
  }

  /** The execution once it has ended. Its tasks are read then, not at every look: they are many. */
  async function ended(id: string, withinMs = endedWithinMs): Promise<Execution> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const { status } = (await client.get(`/workflow/${id}?includeTasks=false`)).json as { readonly status: string };
      if (!["RUNNING", "PAUSED"].includes(status)) return client.execution(id);
      if (performance.now() > giveUpAt) throw new Error(`Expected the run to end within ${withinMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The open question to a person, once there is one. */
  async function question(id: string): Promise<Task> {
    const isOpen = (task: Task): boolean => task.taskType === "HUMAN" && task.status === "IN_PROGRESS";
    const execution = await client.until(id, ({ tasks }) => tasks.some(isOpen));
    const task = execution.tasks.find(isOpen);
    if (task === undefined) throw new Error("Expected an open question");
    return task;
  }

  return {
    client,
    errors: server.errors,
    serve,
    start,
    ended,
    question,
    /** Says what a model or a remote service answers, by the task's reference name. */
    script: (ref: string, answers: Script): void => {
      scripts.set(ref, answers);
    },
    /** The inputs with which a task was run, in order. */
    asked: (ref: string): readonly Input[] => asked.get(ref) ?? [],
    run: async (config: JsonObject, input?: Input): Promise<Execution> => ended(await start(config, input)),
    answer: async (id: string, output: JsonObject): Promise<void> => {
      await client.complete(await question(id), output);
    },
    async close() {
      stopped.abort();
      await Promise.all(serving);
      await server.close();
    },
  };
}

type StartOptions = Parameters<typeof startAgentServer>[0];

/** A server for all tests of a file, handed to `use` before the first. It must have had no error of its own. */
export function useAgentServer(use: (server: AgentServer) => void, options: () => StartOptions = () => ({})): void {
  let server: AgentServer | undefined;
  beforeAll(async () => {
    server = await startAgentServer(options());
    use(server);
  });
  afterAll(async () => {
    expect(server?.errors).toEqual([]);
    await server?.close();
  });
}

export const compile = (config: JsonObject): CompiledAgent => compileAgent(readAgentConfig(config));

let last = 0;
/** An agent of a name no other test has. */
export const anAgent = (more: JsonObject = {}): JsonObject & { readonly name: string } => ({
  model: "openai/gpt-4o-mini",
  instructions: "Be brief.",
  ...more,
  name: `agent${++last}`,
});

export const aTool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
  toolType: "worker",
  ...more,
});

/** What a model answers when it is done. */
export const says = (result: JsonObject[string], finishReason = "STOP"): JsonObject => ({ result, finishReason });

let calls = 0;
/** What a model answers when it wants tools. */
export const calling = (...wanted: readonly (readonly [tool: string, args?: JsonObject])[]): JsonObject => ({
  result: "",
  finishReason: "TOOL_CALLS",
  toolCalls: wanted.map(([name, args = {}]) => ({
    taskReferenceName: `call_${++calls}`,
    name,
    type: "SIMPLE",
    inputParameters: { ...args, method: name },
  })),
});

/** Tasks of one reference, whatever the iteration. */
export const tasksOf = (execution: { readonly tasks: readonly Task[] }, ref: string): readonly Task[] =>
  execution.tasks.filter(({ referenceTaskName }) => referenceTaskName.replace(/(__\d+)+$/, "") === ref);

/** The messages of a model call, as `role: text`. */
export const heard = (input: Input | undefined): readonly string[] =>
  ((input?.["messages"] ?? []) as readonly { readonly role: string; readonly message: unknown }[]).map(
    ({ role, message }) => `${role}: ${String(message)}`,
  );
