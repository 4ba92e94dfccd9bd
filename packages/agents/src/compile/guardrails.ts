import type { JsonObject } from "@downbeat/engine";
import { parseModel } from "../config/model-name.ts";
import { readPattern } from "../config/pattern.ts";
import { refName } from "../config/questions.ts";
import type { AgentConfig, GuardrailConfig, OnFail } from "../config/types.ts";
import { fixedOutput } from "../scripts/fixed-output.ts";
import { processReview } from "../scripts/human-answer.ts";
import { judgeVerdict } from "../scripts/judge-verdict.ts";
import { regexVerdict } from "../scripts/regex-verdict.ts";
import { retryMessage } from "../scripts/retry-message.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { workerVerdict } from "../scripts/worker-verdict.ts";
import { type AgentModel, agentModel } from "./agent-model.ts";
import { authored, outputOf } from "./expression.ts";
import { type FormField, humanPipeline } from "./human.ts";
import { llmTask, systemMessage, userMessage } from "./llm-task.ts";
import { inline, setVariable, simple, switchBy, switchOn, type TaskList, terminate } from "./tasks.ts";

/** What guardrails look at, and where they stand. */
export type GuardedText = {
  readonly position: "output" | "tool" | "input";
  /** Expression of the text. */
  readonly content: string;
  /** Expression of the turn's tool calls; without one every text is looked at. */
  readonly toolCalls?: string;
  /** Expression of the loop's iteration; without one nothing is tried again. */
  readonly iteration?: string;
  /** Tasks that follow a retry's message. */
  readonly onRetry?: (messageRef: string, suffix: string) => TaskList;
};

export type Guarded = {
  readonly tasks: TaskList;
  /** References of the retry messages, which the model hears. */
  readonly retries: readonly string[];
  /** References of the verdicts that may ask for another turn. */
  readonly verdicts: readonly string[];
};

/** The checks, one after the other, each followed by what is done about its verdict. */
export function compileGuardrails(
  config: AgentConfig,
  guardrails: readonly GuardrailConfig[],
  text: GuardedText,
): Guarded {
  const marks = { output: "", tool: "_tg", input: "_in" };
  const base = refName(config.name);
  const labels = distinct(guardrails.map(({ name }) => refName(name)));
  const parts = guardrails.map((guardrail, index) => {
    const suffix = marks[text.position] + (guardrails.length === 1 ? "" : `_${index}`);
    const ways = waysOf(guardrail.onFail, text);
    const rail: Rail = { config, guardrail, text, base, suffix, ways, label: labels[index] ?? "" };
    const check = checkTasks(rail);
    return {
      tasks: [...check.tasks, routeTask(rail, check.verdict)],
      retry: `${base}_guardrail_retry${suffix}`,
      verdict: check.verdict,
    };
  });
  return {
    tasks: parts.flatMap(({ tasks }) => tasks),
    retries: parts.map(({ retry }) => retry),
    verdicts: parts.map(({ verdict }) => verdict),
  };
}

type Rail = {
  readonly config: AgentConfig;
  readonly guardrail: GuardrailConfig;
  readonly text: GuardedText;
  readonly base: string;
  readonly suffix: string;
  /** What can be done about a failure. */
  readonly ways: readonly OnFail[];
  /** The guardrail's name in reference names. */
  readonly label: string;
};

/** Names that are alike get a number, from the second on. */
const distinct = (names: readonly string[]): readonly string[] =>
  names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });

/** A failure can always end the run. There is no repair of a tool call, and no second try of what a caller said. */
function waysOf(onFail: OnFail, { position }: GuardedText): readonly OnFail[] {
  const isPossible =
    onFail === "human" || (onFail === "fix" && position !== "tool") || (onFail === "retry" && position !== "input");
  return isPossible ? ["raise", onFail] : ["raise"];
}

const prefixes = { output: "", tool: "tool_", input: "input_" };

function checkTasks(rail: Rail): { readonly tasks: TaskList; readonly verdict: string } {
  switch (rail.guardrail.guardrailType) {
    case "regex":
      return regexCheck(rail);
    case "llm":
      return judgeCheck(rail);
    case "custom":
      return workerCheck(rail);
    case "external":
      return externalCheck(rail);
  }
}

const refOf = ({ base, text, label }: Rail, kind: string): string =>
  `${base}_${prefixes[text.position]}${kind}_${label}`;

const onFailOf = ({ guardrail, ways }: Rail): OnFail => (ways.includes(guardrail.onFail) ? guardrail.onFail : "raise");

function regexCheck(rail: Rail): { readonly tasks: TaskList; readonly verdict: string } {
  const { guardrail } = rail;
  const ref = refOf(rail, "regex_guardrail");
  const mode = guardrail.mode ?? "block";
  const message =
    guardrail.message ??
    (mode === "block" ? "Content matched a blocked pattern." : "Content did not match any allowed pattern.");
  const script = scriptOf(regexVerdict, {
    name: guardrail.name,
    patterns: (guardrail.patterns ?? []).map((pattern) => readPattern(pattern, guardrail.name)),
    mode,
    message,
    onFail: onFailOf(rail),
    maxRetries: guardrail.maxRetries,
  });
  return { tasks: [inline(ref, script, { content: rail.text.content, ...turnInputs(rail) })], verdict: ref };
}

/** A judge of its own name is reached where its provider is; the agent's model where the agent reaches it. */
const judgeModel = ({ config, guardrail }: Rail): AgentModel =>
  guardrail.model === undefined || guardrail.model === config.model ? agentModel(config) : parseModel(guardrail.model);

function judgeCheck(rail: Rail): { readonly tasks: TaskList; readonly verdict: string } {
  const { guardrail, text } = rail;
  const ref = refOf(rail, "llm_guardrail");
  const prompt = [
    "You judge a text by a policy.",
    `Policy:\n${authored(guardrail.policy ?? "")}`,
    'Answer with nothing but a JSON object: {"passed": true or false, "reason": "why, in one sentence"}',
  ].join("\n\n");
  const judge = llmTask(`${ref}_llm`, judgeModel(rail), {
    messages: [systemMessage(prompt), userMessage(text.content)],
    temperature: 0,
    maxTokens: guardrail.maxTokens ?? 256,
    jsonOutput: true,
  });
  // Nothing to judge on a turn that calls tools, and a model cannot be asked about an empty text.
  const gate = switchBy({
    ref: `${ref}_gate`,
    script:
      "($.toolCalls && $.toolCalls.length > 0) || $.content == null || String($.content).trim() === '' ? 'skip' : 'check'",
    inputs: { content: text.content, ...(text.toolCalls === undefined ? {} : { toolCalls: text.toolCalls }) },
    cases: { check: [judge] },
  });
  const script = scriptOf(judgeVerdict, {
    name: guardrail.name,
    onFail: onFailOf(rail),
    maxRetries: guardrail.maxRetries,
  });
  const inputs = { llm_result: outputOf(`${ref}_llm`, "result"), content: text.content, ...turnInputs(rail) };
  return { tasks: [gate, inline(ref, script, inputs)], verdict: ref };
}

function workerCheck(rail: Rail): { readonly tasks: TaskList; readonly verdict: string } {
  const { guardrail, text } = rail;
  const ref = refOf(rail, text.position === "input" ? "guardrail" : "output_guardrail");
  const worker = `${ref}_worker`;
  return {
    tasks: [
      simple(worker, guardrail.taskName ?? guardrail.name, workerInputs(rail)),
      workerVerdictTask(rail, ref, worker),
    ],
    verdict: ref,
  };
}

/** A worker by the guardrail's own name, which somebody else serves. */
function externalCheck(rail: Rail): { readonly tasks: TaskList; readonly verdict: string } {
  const ref = refOf(rail, "ext_guardrail");
  const verdict = `${ref}_check`;
  const { toolCalls } = rail.text;
  const inputs = { ...workerInputs(rail), ...(toolCalls === undefined ? {} : { toolCalls }) };
  return { tasks: [simple(ref, rail.guardrail.name, inputs), workerVerdictTask(rail, verdict, ref)], verdict };
}

function workerVerdictTask(rail: Rail, ref: string, worker: string): JsonObject {
  const { guardrail, ways } = rail;
  return inline(ref, scriptOf(workerVerdict, { ways }), {
    worker_output: `\${${worker}.output}`,
    guardrail_name: guardrail.name,
    default_on_fail: onFailOf(rail),
    max_retries: guardrail.maxRetries,
    ...turnInputs(rail),
  });
}

/** The text under every name that workers of the SDKs and frameworks look for. */
function workerInputs({ text }: Rail): JsonObject {
  const names = ["content", "input", "input_text", "output", "agentOutput", "agent_output"];
  return {
    ...Object.fromEntries(names.map((name) => [name, text.content])),
    ...(text.iteration === undefined ? {} : { iteration: text.iteration }),
  };
}

const turnInputs = ({ text }: Rail): JsonObject => ({
  ...(text.iteration === undefined ? {} : { iteration: text.iteration }),
  ...(text.toolCalls === undefined ? {} : { toolCalls: text.toolCalls }),
});

function routeTask(rail: Rail, verdict: string): JsonObject {
  const { base, suffix, ways, text } = rail;
  const message = outputOf(verdict, "result.message");
  const retry = `${base}_guardrail_retry${suffix}`;
  const fixed = outputOf(verdict, "result.fixed_output");
  const cases: { readonly [way in OnFail]: () => TaskList } = {
    raise: () => [terminate(`${base}_guardrail_terminate${suffix}`, "FAILED", message)],
    retry: () => [
      inline(retry, scriptOf(retryMessage), { guardrail_message: message, llm_output: text.content }),
      ...(text.onRetry?.(retry, suffix) ?? []),
    ],
    fix: () => [
      inline(`${base}_guardrail_fix${suffix}`, scriptOf(fixedOutput), { fixed_output: fixed }),
      setVariable(`${base}_guardrail_fix_set${suffix}`, { [changedVariable(rail, "fixed")]: fixed }),
    ],
    human: () => reviewTasks(rail, verdict),
  };
  return switchOn(
    `${base}_guardrail_route${suffix}`,
    outputOf(verdict, "result.on_fail"),
    Object.fromEntries(ways.map((way) => [way, cases[way]()])),
    [setVariable(`${base}_guardrail_pass_noop${suffix}`, { _guardrail_passed: true })],
  );
}

/** Where a changed text goes: in place of the answer, or in place of what the caller asked. */
function changedVariable({ text }: Rail, by: "fixed" | "edited"): string {
  if (text.position === "input") return "_input_prompt";
  return by === "fixed" ? "_fixed_output" : "_human_edited_output";
}

function reviewTasks(rail: Rail, verdict: string): TaskList {
  const { config, base, suffix, text } = rail;
  const ref = `${base}_guardrail_human${suffix}`;
  const canEdit = text.position !== "tool";
  const action = `${base}_guardrail_human_action${suffix}`;
  const fields: { [name: string]: FormField } = {
    approved: { type: "boolean", title: "Approved", description: "Whether the text may be used", widget: "radio" },
    ...(canEdit
      ? {
          edited_output: {
            type: "string",
            title: "Edited Output",
            description: "A text to use in its place",
            widget: "textarea",
          } as const,
        }
      : {}),
    reason: { type: "string", title: "Reason", description: "Why you decided so", widget: "textarea" },
  };
  return [
    ...humanPipeline({
      ref,
      form: { displayName: `${config.name} Guardrail Review`, fields, required: ["approved"] },
      inputs: {
        guardrail_message: outputOf(verdict, "result.message"),
        guardrail_name: outputOf(verdict, "result.guardrail_name"),
        llm_output: text.content,
      },
      model: agentModel(config),
      process: { script: scriptOf(processReview, { canEdit }), inputs: { llm_output: text.content } },
    }),
    switchOn(
      action,
      outputOf(`${ref}_process`, "result.action"),
      {
        approve: [setVariable(`${base}_guardrail_human_approve${suffix}`, { _human_approved: true })],
        ...(canEdit
          ? {
              edit: [
                setVariable(`${base}_guardrail_human_edit${suffix}`, {
                  [changedVariable(rail, "edited")]: outputOf(`${ref}_process`, "result.result"),
                }),
              ],
            }
          : {}),
      },
      [terminate(`${base}_guardrail_human_reject${suffix}`, "FAILED", outputOf(`${ref}_process`, "result.reason"))],
    ),
  ];
}
