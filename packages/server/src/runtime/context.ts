import { createHash } from "node:crypto";
import { type Context, type JqOutcome, type Json, RawJson, type Settings, type TaskTypes } from "@downbeat/engine";
import { compile, JqError, type JqProgram, JqSyntaxError } from "@downbeat/jq";
import type { Store } from "@downbeat/store";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type NamedValues, readNamedValue } from "../secrets.ts";
import type { Clock } from "./clock.ts";
import type { Definitions } from "./definitions.ts";
import type { ExecutionView } from "./execution-view.ts";
import type { PollData } from "./poll-data.ts";
import type { SchemaCheck } from "./schema-check.ts";

const JQ_CACHE = 1000;
/** Programs run on the thread that serves everyone: this many steps take less than a tenth of a second. */
const JQ_STEPS = 1_000_000;

export type ContextOptions = {
  readonly clock: Clock;
  readonly store: Store;
  readonly definitions: Definitions;
  readonly sandbox: Sandbox;
  readonly pollData: PollData;
  readonly settings: Settings;
  readonly taskTypes: TaskTypes;
  readonly secrets: NamedValues;
  readonly environment: NamedValues;
  readonly schemas: SchemaCheck;
  readonly newExecutionId: () => string;
  /** Names an expression may read beside the execution: NETFLIX_ENV, NETFLIX_STACK. */
  readonly constants: ReadonlyMap<string, string>;
};

/** What the engine may ask of the world, for one decision. Slow answers go through the view: decide again when they are in. */
export function createContexts(options: ContextOptions): (view: ExecutionView) => Context {
  const { store, definitions, sandbox, pollData, secrets, environment, constants, clock } = options;
  const runJq = createJq(clock);
  return (view) => {
    const now = clock();
    return {
      now,
      settings: options.settings,
      taskTypes: options.taskTypes,
      newExecutionId: () => view.numbered("id", options.newExecutionId),
      random: () => view.numbered("random", Math.random),
      plan: (hash) => definitions.findPlan(hash) ?? view.ask(`plan ${hash}`, () => definitions.loadPlan(hash)),
      evaluateScript: (source, inputText) =>
        view.ask(digestKey("script", source, inputText), () => sandbox.evaluate(source, inputText)),
      runJq,
      checkSchema(schema, value) {
        const ask = () => options.schemas.check(schema, value);
        if (options.schemas.isBounded(schema)) return ask() as string | undefined;
        return view.ask(digestKey("schema", JSON.stringify(schema), JSON.stringify(value)), ask);
      },
      findTaskDef: (name) => definitions.findTaskDef(name),
      findWorkflowDef: (name, version) => definitions.pinRegistered(name, version),
      pinDefinition: (def) => definitions.pinGiven(def),
      isDomainActive: (taskType, domain) => pollData.isActive(taskType, domain, now),
      findCached(key) {
        const text = view.ask(`cache ${key}`, () => store.findCached(key, now));
        return text === undefined ? undefined : new RawJson(text);
      },
      constant: (name) => constants.get(name),
      environment: (name) => readNamedValue(environment, name) ?? undefined,
      findSecret: (name) => secrets.find(name),
    };
  };
}

/** Long inputs are told apart by a digest: the key only has to last for one decision. */
function digestKey(kind: string, source: string, inputText: string): string {
  if (inputText.length < 2000) return `${kind} ${source}\n${inputText}`;
  return `${kind} ${source}\n${createHash("sha256").update(inputText).digest("base64")}`;
}

function createJq(clock: Clock): (program: string, input: Json) => JqOutcome {
  const programs = new Map<string, JqProgram>();
  return (source, input) => {
    try {
      let program = programs.get(source);
      if (program === undefined) {
        program = compile(source);
        if (programs.size >= JQ_CACHE) programs.clear();
        programs.set(source, program);
      }
      return {
        kind: "value",
        results: program.run(input, { now: () => clock() / 1000, maxSteps: JQ_STEPS }) as Json[],
      };
    } catch (error) {
      if (error instanceof JqError || error instanceof JqSyntaxError) return { kind: "error", message: error.message };
      throw error;
    }
  };
}
