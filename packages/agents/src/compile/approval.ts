import { refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { checkApproval, formatFeedback } from "../scripts/approval.ts";
import { processApproval } from "../scripts/human-answer.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { agentModel } from "./agent-model.ts";
import type { Compiling } from "./compiling.ts";
import { type DispatchOptions, dispatchChain, remoteInputs } from "./dispatch.ts";
import { outputOf, variable } from "./expression.ts";
import { humanPipeline } from "./human.ts";
import { inline, setVariable, switchIf, type TaskList, terminate } from "./tasks.ts";
import { discoveredTools, toolsOf } from "./tools.ts";

export const needsApproval = (config: AgentConfig): boolean => toolsOf(config).some((tool) => tool.approvalRequired);

type Options = Omit<DispatchOptions, "prefix">;

/** Asks a person before the tools of a turn are called, when one of them needs it. One verdict covers the turn. */
export function approvalGate(config: AgentConfig, compiling: Compiling, options: Options): TaskList {
  const base = refName(config.name);
  const check = `${base}_check_approval`;
  const calls = outputOf(`${base}_llm`, "toolCalls");
  const gated = toolsOf(config)
    .filter((tool) => tool.approvalRequired)
    .map(({ name }) => name);
  const gatesDiscovered = discoveredTools(config).some((tool) => tool.approvalRequired);
  return [
    inline(check, scriptOf(checkApproval, { gated }), {
      tool_calls: calls,
      ...(gatesDiscovered ? remoteInputs(config) : {}),
    }),
    switchIf(
      `${base}_approval_gate`,
      "needs_approval",
      outputOf(check, "result.needs_approval"),
      askTasks(config, compiling, options),
      dispatchChain(config, compiling, { ...options, prefix: "direct_" }),
    ),
  ];
}

function askTasks(config: AgentConfig, compiling: Compiling, options: Options): TaskList {
  const base = refName(config.name);
  const ref = `${base}_approval_human`;
  const verdict = (field: string): string => outputOf(`${ref}_process`, `result.${field}`);
  return [
    ...humanPipeline({
      ref,
      form: {
        displayName: `${config.name} Tool Approval`,
        fields: {
          approved: {
            type: "boolean",
            title: "Approved",
            description: "Whether the tools may be called",
            widget: "radio",
          },
          reason: { type: "string", title: "Reason", description: "Why you decided so", widget: "textarea" },
        },
        required: ["approved"],
      },
      inputs: { tool_calls: outputOf(`${base}_llm`, "toolCalls") },
      model: agentModel(config),
      process: { script: scriptOf(processApproval), inputs: {} },
    }),
    switchIf(
      `${base}_approval_route`,
      "approved",
      verdict("approved"),
      [
        inline(`${base}_approval_format_feedback`, scriptOf(formatFeedback), {
          extra: verdict("extra"),
          reason: verdict("reason"),
        }),
        setVariable(`${base}_approval_store_feedback`, {
          _human_feedback: outputOf(`${base}_approval_format_feedback`, "result"),
        }),
        ...dispatchChain(config, compiling, { ...options, prefix: "approved_" }),
      ],
      [
        setVariable(`${base}_approval_reject_output`, {
          rejectionReason: verdict("reason"),
          rejectedToolCall: outputOf(`${base}_check_approval`, "result.gated_tools"),
          finishReason: "rejected",
        }),
        terminate(`${base}_approval_reject`, "COMPLETED", verdict("reason"), {
          result: "",
          finishReason: "rejected",
          rejectionReason: verdict("reason"),
          context: variable("_agent_state"),
        }),
      ],
    ),
  ];
}
