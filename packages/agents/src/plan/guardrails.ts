import { type JsonObject, ownMember } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";
import { type Build, failTask, inlineTask, safeName, switchTask, type Task } from "./build.ts";
import { modelInput } from "./model.ts";
import { formatCall } from "./scripts/format-call.ts";
import { judgeGuardrail, judgeGuardrailHelpers } from "./scripts/judge-guardrail.ts";
import { regexGuardrail, regexGuardrailHelpers } from "./scripts/regex-guardrail.ts";
import { workerGuardrail, workerGuardrailHelpers } from "./scripts/worker-guardrail.ts";
import { textIn } from "./tool.ts";
import type { Call } from "./tool-task.ts";

/**
 * The tasks of a call behind the guardrails of its tool, one gate inside the other, so that a check runs only when those
 * before it passed. In a plan nothing is tried again: what a guardrail refuses ends the plan.
 */
export function guardrailGates(call: Call, build: Build, tasks: readonly Task[]): readonly Task[] {
  const { tool, place, operation, args } = call;
  if (tool.guardrails.length === 0) return tasks;
  const words = `s_${place}_${operation}_${safeName(tool.name)}`;
  const format = build.ref(`${words}_format`);
  const prefix = build.unique(`pac_${words}`);
  const formatted = inlineTask(format, { argKeys: Object.keys(args).map(escapeExpressions), args }, formatCall, {
    constants: { tool: tool.name },
  });
  const content = `\${${format}.output.result.formatted}`;
  const gated = tool.guardrails.reduceRight<readonly Task[]>((inner, raw, index) => {
    const suffix = tool.guardrails.length === 1 ? "pg" : `pg_${index}`;
    return gate(readGuardrail(raw, build), { prefix, suffix, content, inner });
  }, tasks);
  return [formatted, ...gated];
}

type Guardrail = {
  readonly name: string;
  readonly type: string;
  readonly onFail: string;
  readonly raw: JsonObject;
  readonly model: string;
};

function readGuardrail(raw: JsonObject, { model }: Build): Guardrail {
  return {
    name: textIn(raw, "name") ?? "guardrail",
    type: textIn(raw, "guardrailType") ?? "custom",
    onFail: (textIn(raw, "onFail") ?? "retry").toLowerCase(),
    raw,
    model: textIn(raw, "model") ?? model,
  };
}

type Gate = {
  readonly prefix: string;
  readonly suffix: string;
  readonly content: string;
  readonly inner: readonly Task[];
};

type Check = { readonly tasks: readonly Task[]; readonly ref: string; readonly cases: readonly string[] };

function gate(guardrail: Guardrail, { prefix, suffix, content, inner }: Gate): readonly Task[] {
  const { tasks, ref, cases } = checkOf(guardrail, `${prefix}_tool`, content);
  const message = `\${${ref}.output.result.message}`;
  const refusals = cases.map((word) => [word, [failTask(`${prefix}_guardrail_term_${word}_${suffix}`, message)]]);
  return [
    ...tasks,
    switchTask(
      `${prefix}_guardrail_gate_${suffix}`,
      `\${${ref}.output.result.on_fail}`,
      Object.fromEntries(refusals),
      inner,
    ),
  ];
}

/** A worker may name a way to fail of its own, so all of them are cases. */
const everyFailure = ["retry", "raise", "fix", "human"];

function checkOf(guardrail: Guardrail, prefix: string, content: string): Check {
  const { name, type, onFail } = guardrail;
  const own = [...new Set([onFail === "fix" ? "raise" : onFail, "raise"])];
  const safe = safeName(name);
  switch (type) {
    case "regex":
      return { ...regexCheck(guardrail, `${prefix}_regex_guardrail_${safe}`, content), cases: own };
    case "llm":
      return { ...judgeCheck(guardrail, `${prefix}_llm_guardrail_${safe}`, content), cases: own };
    case "external":
      return {
        ...workerCheck(guardrail, `${prefix}_ext_guardrail_${safe}`, { content, worker: name }),
        cases: everyFailure,
      };
    default: {
      const worker = textIn(guardrail.raw, "taskName") ?? name;
      return {
        ...workerCheck(guardrail, `${prefix}_output_guardrail_${safe}`, { content, worker }),
        cases: everyFailure,
      };
    }
  }
}

/** Named like its reference, as guardrail tasks are everywhere in an agent. */
const named = (task: Task): Task => ({ ...task, name: task["taskReferenceName"] ?? "" });

/** Nothing is repeated in a plan: every check is the first. */
const iteration = 1;

function regexCheck({ name, onFail, raw }: Guardrail, ref: string, content: string): Omit<Check, "cases"> {
  const patterns = ownMember(raw, "patterns");
  const mode = (textIn(raw, "mode") ?? "block").toLowerCase();
  const unmet = mode === "allow" ? "Content did not match any allowed pattern." : "Content matched a blocked pattern.";
  const constants = {
    name,
    patterns: Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === "string") : [],
    mode,
    message: textIn(raw, "message") ?? unmet,
    onFail,
  };
  const task = inlineTask(ref, { content, iteration }, regexGuardrail, { using: regexGuardrailHelpers, constants });
  return { tasks: [named(task)], ref };
}

function judgeCheck({ name, onFail, raw, model }: Guardrail, ref: string, content: string): Omit<Check, "cases"> {
  const llm = `${ref}_llm`;
  const policy =
    "You judge whether a text follows a policy. Answer with only a JSON object: " +
    `{"passed": true or false, "reason": "why"}.\n\nPolicy:\n${textIn(raw, "policy") ?? ""}`;
  const judge: Task = {
    name: "llm_chat_complete",
    taskReferenceName: llm,
    type: "LLM_CHAT_COMPLETE",
    inputParameters: {
      ...modelInput(model),
      messages: [
        { role: "system", message: escapeExpressions(policy) },
        { role: "user", message: content },
      ],
      temperature: 0,
      maxTokens: ownMember(raw, "maxTokens") ?? 256,
      jsonOutput: true,
    },
  };
  const task = inlineTask(ref, { llm_result: `\${${llm}.output.result}`, iteration }, judgeGuardrail, {
    using: judgeGuardrailHelpers,
    constants: { name, onFail },
  });
  return { tasks: [judge, named(task)], ref };
}

function workerCheck(
  { name, onFail }: Guardrail,
  ref: string,
  { content, worker }: { readonly content: string; readonly worker: string },
): Omit<Check, "cases"> {
  const call: Task = {
    name: worker,
    taskReferenceName: `${ref}_worker`,
    type: "SIMPLE",
    inputParameters: {
      content,
      input: content,
      input_text: content,
      output: content,
      agentOutput: content,
      agent_output: content,
      iteration,
    },
  };
  const task = inlineTask(ref, { worker_output: `\${${ref}_worker.output}`, iteration }, workerGuardrail, {
    using: workerGuardrailHelpers,
    constants: { name, onFail },
  });
  return { tasks: [call, named(task)], ref };
}
