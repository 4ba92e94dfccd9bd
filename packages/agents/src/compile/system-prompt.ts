import { instructionsText, isInstructionsWorker, isTemplate, refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { escapeExpressions } from "../scripts/script-of.ts";
import { authored, outputOf } from "./expression.ts";
import { schemaText } from "./schema-text.ts";
import { toolsOf } from "./tools.ts";

/** The system message of an agent, empty when there is nothing to say. A template brings its own. */
export function systemPrompt(config: AgentConfig): string {
  if (isTemplate(config.instructions)) return "";
  return [ownInstructions(config), outputText(config), codeText(config), cliText(config), planningText(config)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function ownInstructions(config: AgentConfig): string {
  if (isInstructionsWorker(config.instructions)) return outputOf(`${refName(config.name)}_instructions`, "result");
  const text = instructionsText(config);
  if (text.trim() !== "") return authored(text);
  return toolsOf(config).length > 0 ? "You are a helpful assistant that answers with the help of its tools." : "";
}

/** Asks for an answer of the agent's output type, and nothing else; empty when it has none. */
export function outputFormText(config: AgentConfig): string {
  const form = outputForm(config);
  return form === undefined ? "" : `Answer with nothing but a JSON object of this form:\n${form}`;
}

function outputText(config: AgentConfig): string {
  const form = outputForm(config);
  if (form === undefined || toolsOf(config).length === 0) return outputFormText(config);
  return `When you give your final answer, and only then, answer with nothing but a JSON object of this form:\n${form}`;
}

function outputForm({ outputType }: AgentConfig): string | undefined {
  return outputType?.schema === undefined ? undefined : escapeExpressions(schemaText(outputType.schema));
}

function codeText(config: AgentConfig): string {
  const code = config.codeExecution;
  if (code?.enabled !== true) return "";
  const languages = code.allowedLanguages ?? ["python", "javascript", "bash"];
  const commands = code.allowedCommands ?? [];
  return [
    `You can run code with the tool \`${config.name}_execute_code\`. Languages: ${languages.join(", ")}.`,
    "Every run starts anew: variables, imports and files of an earlier run are gone, so bring everything a run needs, its imports included, and print what you want to see.",
    ...(commands.length === 0 ? [] : [`Commands the code may call: ${commands.join(", ")}.`]),
    ...(code.timeout === undefined ? [] : [`A run may take ${code.timeout} seconds.`]),
  ].join("\n");
}

function cliText(config: AgentConfig): string {
  const cli = config.cliConfig;
  if (cli?.enabled !== true) return "";
  const commands = cli.allowedCommands ?? [];
  return [
    `You can run commands with the tool \`${config.name}_run_command\`.`,
    ...(commands.length === 0 ? [] : [`Allowed commands: ${commands.join(", ")}.`]),
    ...(cli.allowShell ? [] : ["There is no shell: pipes, redirection and variables do not work."]),
    ...(cli.timeout === undefined ? [] : [`A command may take ${cli.timeout} seconds.`]),
  ].join("\n");
}

function planningText(config: AgentConfig): string {
  if (config.enablePlanning !== true) return "";
  return "Before you act, make a plan: write down the steps that lead to the goal, then carry them out one after the other, and change the plan when a result asks for it.";
}
