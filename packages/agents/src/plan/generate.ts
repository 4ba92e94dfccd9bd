import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { escapeExpressions, scriptOf } from "../scripts/script-of.ts";
import { type Build, failTask, inlineTask, serverRetries, type Task } from "./build.ts";
import { modelInput } from "./model.ts";
import { InvalidPlan } from "./plan.ts";
import { asInput, inputText } from "./references.ts";
import { argumentsVerdict } from "./scripts/arguments-verdict.ts";
import { checkArguments, checkArgumentsHelpers } from "./scripts/check-arguments.ts";
import { parseAnswer } from "./scripts/parse-answer.ts";
import { argumentNames, numberIn, type Tool, textIn } from "./tool.ts";
import { findSchemaProblem } from "./tool-schema.ts";
import { callTasks } from "./tool-task.ts";

export type Generation = {
  readonly tool: Tool;
  readonly generate: JsonObject;
  readonly place: string;
  readonly operation: number;
  /** How the operation is called in an error: `Step a op 0`. */
  readonly where: string;
};

/** A call whose arguments a model writes: asked for, read, checked against the tool's schema, then used or refused. */
export function generateTasks(
  generation: Generation,
  build: Build,
): { readonly tasks: readonly Task[]; readonly ref: string } {
  const { tool, place, operation, where } = generation;
  const problem = findSchemaProblem(tool.inputSchema);
  if (problem !== undefined) throw new InvalidPlan(`${where}: inputSchema of tool '${tool.name}' ${problem}`);
  const example = exampleOf(generation);
  const llm = build.ref(`llm_${place}`);
  const parse = build.ref(`p_${place}`);
  const check = build.ref(`v_${place}`);
  const ref = build.ref(`t_${place}`);
  const refusal = build.ref(`p_term_${place}`);
  const gate = build.ref(`pgate_${place}`);
  const checked = `\${${check}.output.result}`;
  const args = Object.keys(example).map((name) => [name, `\${${check}.output.result${memberPath(name, where)}}`]);
  const reason = `LLM output rejected for ${escapeExpressions(tool.name)}: \${${check}.output.result._plan_error}`;
  const tasks = [
    askTask(llm, example, generation, build),
    inlineTask(parse, { llmOut: `\${${llm}.output.result}` }, parseAnswer),
    inlineTask(
      check,
      { parsed: `\${${parse}.output.result}`, schema: meantLiterally(tool.inputSchema) },
      checkArguments,
      { using: checkArgumentsHelpers },
    ),
    {
      name: "switch",
      taskReferenceName: gate,
      type: "SWITCH",
      evaluatorType: "graaljs",
      expression: scriptOf(argumentsVerdict),
      inputParameters: { parsed: checked },
      decisionCases: { ok: callTasks({ tool, ref, place, operation, args: Object.fromEntries(args) }, build) },
      defaultCase: [failTask(refusal, reason)],
    },
  ];
  return { tasks, ref };
}

/** An object that looks like the arguments: what the plan gives as output_schema, else the tool's arguments. */
function exampleOf({ tool, generate, where }: Generation): JsonObject {
  const given = ownMember(generate, "output_schema");
  const sample = Object.fromEntries(argumentNames(tool).map((name) => [name, "..."]));
  const example = given === undefined || given === null ? sample : parsed(given);
  if (!isJsonObject(example) || Object.keys(example).length === 0) {
    throw new InvalidPlan(`${where}: output_schema must be a JSON object`);
  }
  const isSchema =
    Object.hasOwn(example, "$schema") || (example["type"] === "object" && isJsonObject(example["properties"]));
  if (isSchema) {
    throw new InvalidPlan(
      `${where}: output_schema looks like a JSON Schema — use an instance-shape example object instead, e.g. ` +
        JSON.stringify(sample),
    );
  }
  return example;
}

function parsed(given: Json): Json {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    // Not JSON is not an object either; the caller says so.
    return null;
  }
}

function askTask(ref: string, example: JsonObject, { tool, generate, where }: Generation, build: Build): Task {
  const system =
    `You write the arguments for one call of the tool "${tool.name}". Answer with only a JSON object of this shape, ` +
    `with real values in place of the examples, and nothing around it:\n${JSON.stringify(example)}`;
  return {
    name: "llm_chat_complete",
    taskReferenceName: ref,
    type: "LLM_CHAT_COMPLETE",
    inputParameters: {
      ...modelOf(generate, where, build),
      messages: [
        { role: "system", message: escapeExpressions(system) },
        { role: "user", message: requestOf(generate, build) },
      ],
      maxTokens: numberIn(generate, "max_tokens") ?? 4096,
      temperature: numberIn(generate, "temperature") ?? 0,
      jsonOutput: true,
    },
    ...serverRetries({ name: "llm_chat_complete", retryCount: 1, retryDelaySeconds: 1 }),
  };
}

function modelOf(generate: JsonObject, where: string, build: Build): JsonObject {
  try {
    return modelInput(textIn(generate, "model") ?? build.model);
  } catch (error) {
    throw error instanceof InvalidPlan ? new InvalidPlan(`${where}: ${error.message}`, { cause: error }) : error;
  }
}

/** The instructions, and the context with the outputs of the steps it names. */
function requestOf(generate: JsonObject, build: Build): string {
  const instructions = escapeExpressions(textIn(generate, "instructions") ?? "Write the arguments.");
  const context = ownMember(generate, "context");
  if (context === undefined || context === null || context === "") return instructions;
  return `${instructions}\n\nContext:\n${inputText(asInput(context, build.outputOf))}`;
}

/** A path into the arguments. A name that could end the expression it stands in is refused: a model wrote it. */
function memberPath(name: string, where: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `.${name}`;
  if (/^[A-Za-z0-9_ -]+$/.test(name)) return `['${name}']`;
  throw new InvalidPlan(`${where}: output_schema has the name '${name}', which no argument can have`);
}

/** A schema in a task's input: its texts (patterns, descriptions) are no expressions. */
const meantLiterally = (schema: JsonObject): Json => asInput(schema, () => "");
