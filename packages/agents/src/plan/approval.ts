import type { JsonObject } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";
import { type Build, failTask, inlineTask, switchTask, type Task } from "./build.ts";
import { approvalVerdict } from "./scripts/approval-verdict.ts";
import type { Call } from "./tool-task.ts";

/** The tasks of a call behind a human who has to approve it. A rejection ends the plan. */
export function approvalGate(call: Call, build: Build, tasks: readonly Task[]): readonly Task[] {
  const { tool, place } = call;
  const human = build.ref(`approve_${place}`);
  const verdict = build.ref(`approval_${place}`);
  const rejection = `Call of ${escapeExpressions(tool.name)} was rejected: \${${verdict}.output.result.reason}`;
  return [
    humanTask(human, call),
    inlineTask(verdict, { answer: `\${${human}.output}` }, approvalVerdict),
    switchTask(build.ref(`agate_${place}`), `\${${verdict}.output.result.decision}`, { approved: tasks }, [
      failTask(build.ref(`a_term_${place}`), rejection),
    ]),
  ];
}

function humanTask(ref: string, { tool, args }: Call): Task {
  return {
    name: ref,
    taskReferenceName: ref,
    type: "HUMAN",
    inputParameters: {
      __humanTaskDefinition: {
        assignmentCompletionStrategy: "LEAVE_OPEN",
        displayName: `${escapeExpressions(tool.name)} Tool Approval`,
        userFormTemplate: { version: 0 },
      },
      response_schema: responseSchema,
      response_ui_schema: {
        "ui:order": ["approved", "reason"],
        approved: { "ui:widget": "radio" },
        reason: { "ui:widget": "textarea" },
      },
      tool_calls: [{ name: escapeExpressions(tool.name), inputParameters: args }],
    },
  };
}

const responseSchema: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean", title: "Approved", description: "Whether the tool may be called" },
    reason: { type: "string", title: "Reason", description: "Why, for the record and for the agent" },
  },
  required: ["approved"],
};
