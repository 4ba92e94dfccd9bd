import type { JsonObject } from "@downbeat/engine";
import { validateAnswer } from "../scripts/human-answer.ts";
import { scriptOf } from "../scripts/script-of.ts";
import type { AgentModel } from "./agent-model.ts";
import { outputOf } from "./expression.ts";
import { llmTask, systemMessage, userMessage } from "./llm-task.ts";
import { human, inline, setVariable, switchIf, type TaskList } from "./tasks.ts";

/** A field of the form a person fills in. */
export type FormField = {
  readonly type: "boolean" | "string";
  readonly title: string;
  readonly description: string;
  readonly widget: "radio" | "textarea" | "select";
  readonly choices?: readonly string[];
};

export type Form = {
  readonly displayName: string;
  readonly fields: { readonly [name: string]: FormField };
  readonly required: readonly string[];
};

/** The inputs of a HUMAN task that ask for a form. */
export const formInputs = ({ displayName, fields, required }: Form): JsonObject => ({
  __humanTaskDefinition: {
    assignmentCompletionStrategy: "LEAVE_OPEN",
    displayName,
    userFormTemplate: { version: 0 },
  },
  response_schema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { type, title, description, choices }]) => [
        name,
        { type, title, description, ...(choices === undefined ? {} : { enum: choices }) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  },
  response_ui_schema: {
    "ui:order": Object.keys(fields),
    ...Object.fromEntries(Object.entries(fields).map(([name, { widget }]) => [name, { "ui:widget": widget }])),
  },
});

type Pipeline = {
  readonly ref: string;
  readonly form: Form;
  /** What the person sees beside the form. */
  readonly inputs: JsonObject;
  readonly model: AgentModel;
  /** Makes a verdict of the answer; reads `validated`, `normalized` and the inputs given here. */
  readonly process: { readonly script: string; readonly inputs: JsonObject };
};

/**
 * Asks a person and reads the answer. A clear answer is taken as it is; free text goes through a model once, which
 * turns it into what the form asks for.
 */
export function humanPipeline({ ref, form, inputs, model, process }: Pipeline): TaskList {
  const validate = `${ref}_validate`;
  const asksApproval = form.required.includes("approved");
  return [
    human(ref, { ...formInputs(form), ...inputs }),
    inline(validate, scriptOf(validateAnswer, { asksApproval }), { human_output: `\${${ref}.output}` }),
    switchIf(
      `${ref}_normalize_switch`,
      "needs_normalize",
      outputOf(validate, "result.needs_normalize"),
      [normalizer(ref, form, model)],
      [setVariable(`${ref}_normalize_noop`, { _normalize_skipped: true })],
    ),
    inline(`${ref}_process`, process.script, {
      validated: outputOf(validate, "result"),
      normalized: outputOf(`${ref}_normalizer`, "result"),
      ...process.inputs,
    }),
  ];
}

function normalizer(ref: string, form: Form, model: AgentModel): JsonObject {
  const lines = Object.entries(form.fields).map(
    ([name, { type, description }]) =>
      `- ${name} (${type}${form.required.includes(name) ? ", required" : ""}): ${description}`,
  );
  const prompt = [
    "A person answered a form in their own words. Turn the answer into a JSON object with these fields, and leave out those the answer says nothing about:",
    lines.join("\n"),
    "Answer with nothing but the JSON object.",
  ].join("\n\n");
  return llmTask(`${ref}_normalizer`, model, {
    messages: [systemMessage(prompt), userMessage(outputOf(`${ref}_validate`, "result.raw_text"))],
    temperature: 0,
    jsonOutput: true,
  });
}
