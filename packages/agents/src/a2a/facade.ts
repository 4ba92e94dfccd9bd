import { isExecutionId, isWorkflowTerminal, type JsonObject, RawJson, type WorkflowDef } from "@downbeat/engine";
import { type Runtime, startOrFind, terminate } from "@downbeat/server";
import { isAgent } from "../run/agents.ts";
import { respond } from "../run/control.ts";
import type { Starts } from "../run/starts.ts";
import type { OnVisit } from "../run/waiting.ts";
import { settingOf } from "./card.ts";
import type { Message } from "./message.ts";
import { RpcError } from "./rpc-error.ts";
import { type FacadeKind, isFinal, isWaiting, readA2aTask, type Task } from "./task.ts";

const CANCELED = "Canceled via A2A tasks/cancel";

/** Deployed agents, or the workflows that are meant for it, as agents of the A2A protocol. */
export class Facade {
  readonly kind: FacadeKind;
  readonly #runtime: Runtime;
  readonly #starts: Starts;

  constructor(kind: FacadeKind, runtime: Runtime, starts: Starts) {
    this.kind = kind;
    this.#runtime = runtime;
    this.#starts = starts;
  }

  list(): readonly WorkflowDef[] {
    return this.#runtime.definitions.latestWorkflowDefs().filter((def) => this.#isExposed(def));
  }

  find(name: string): WorkflowDef | undefined {
    const def = this.#runtime.definitions.findWorkflowDef(name);
    return def !== undefined && this.#isExposed(def) ? def : undefined;
  }

  /** Starts a run, or answers one that waits. Gives its id. */
  async send(def: WorkflowDef, message: Message): Promise<string> {
    if (message.taskId === undefined) return await this.#start(def, message);
    await this.task(def, message.taskId);
    await this.#answer(message.taskId, message);
    return message.taskId;
  }

  /** Throws RpcError where there is no such task, or another's. */
  async task({ name }: WorkflowDef, id: string, onVisit?: OnVisit): Promise<Task> {
    const head = isExecutionId(id) ? await this.#runtime.loadHead(id) : undefined;
    if (head === undefined) throw new RpcError(-32001, `No A2A task (${this.kind} execution) found: ${id}`);
    if (head.workflowName !== name) throw new RpcError(-32001, `Task ${id} does not belong to agent ${name}`);
    return await readA2aTask(this.#runtime, this.kind, id, onVisit);
  }

  async cancel(def: WorkflowDef, id: string): Promise<Task> {
    const task = await this.task(def, id);
    if (isFinal(task.status.state)) return task;
    // It may end by itself meanwhile.
    await terminate(CANCELED)(this.#runtime, id).catch(async (error: unknown) => {
      if (!isFinal((await this.task(def, id)).status.state)) throw error;
    });
    return await this.task(def, id);
  }

  #isExposed(def: WorkflowDef): boolean {
    const ofAgent: boolean = isAgent(def);
    if (this.kind === "agent") return ofAgent;
    const { config } = this.#runtime;
    return (
      !ofAgent &&
      (config["service.a2a.server.expose-all"] ||
        config["service.a2a.server.exposed-workflows"].includes(def.name) ||
        String(settingOf(def, "enabled")) === "true")
    );
  }

  async #start({ name, version }: WorkflowDef, message: Message): Promise<string> {
    const { text, data, media, messageId, contextId = crypto.randomUUID() } = message;
    const idempotencyKey = messageId === undefined ? undefined : `${name}:${messageId}`;
    if (this.kind === "agent") {
      const { executionId } = await this.#starts.start({
        name,
        prompt: text,
        sessionId: contextId,
        media,
        context: data,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      return executionId;
    }
    const { id } = await startOrFind(
      this.#runtime,
      {
        name,
        version,
        correlationId: contextId,
        input: inputOf(message, contextId),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey, idempotencyStrategy: "RETURN_EXISTING" }),
      },
      {},
    );
    return id;
  }

  /** What waits gets the message; where nothing does, nothing happens. */
  async #answer(id: string, message: Message): Promise<void> {
    const head = await this.#runtime.loadHead(id);
    if (head === undefined || isWorkflowTerminal(head.status)) return;
    const { text, data } = message;
    if (this.kind === "agent") {
      if ((await readA2aTask(this.#runtime, "agent", id)).status.state !== "input-required") return;
      await respond(this.#runtime, id, { ...data, _a2a_text: text, result: text });
      return;
    }
    const open = await this.#runtime.store.executions.open(head, Number.MAX_SAFE_INTEGER);
    const waiting = open.find(isWaiting);
    if (waiting === undefined) return;
    const output = new RawJson(JSON.stringify({ ...inputOf(message, message.contextId ?? ""), result: text }));
    await this.#runtime.dispatch(id, {
      kind: "task-result",
      no: waiting.no,
      result: { status: "COMPLETED", outputMode: "merge", output },
      onlyIfOpen: true,
    });
  }
}

const inputOf = ({ data, text, messageId = "" }: Message, contextId: string): JsonObject => ({
  ...data,
  _a2a_text: text,
  _a2a_message_id: messageId,
  _a2a_context_id: contextId,
});
