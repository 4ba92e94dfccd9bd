import type { Steps } from "../../editing/json-places.ts";
import { taskTypes } from "./task-forms.ts";

type Known = { readonly workflows: readonly string[]; readonly tasks: readonly string[] };

/** What a definition may say at a place besides what its schema lists. */
export function suggestIn({ workflows, tasks }: Known, steps: Steps, text: string): readonly string[] {
  const [key = "", parent = ""] = steps.toReversed();
  if (key === "type" && isIndex(parent)) return taskTypes;
  if (key === "name" && (parent === "subWorkflowParam" || parent === "startWorkflow")) return workflows;
  if (key === "failureWorkflow") return workflows;
  if (key === "name" && isIndex(parent)) return tasks;
  if (steps.includes("joinOn")) return referenceNames(text);
  if (key === "evaluatorType") return ["value-param", "graaljs", "javascript"];
  if (steps.includes("inputParameters") || steps[0] === "outputParameters") return references(text);
  return [];
}

const isIndex = (step: string): boolean => /^\d+$/.test(step);

const referenceNames = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/"taskReferenceName"\s*:\s*"([^"]+)"/g)].map(([, name]) => name ?? "")),
];

function references(text: string): readonly string[] {
  const inputs = /"inputParameters"\s*:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? "";
  const names = [...inputs.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "");
  return [
    ...names.map((name) => `\${workflow.input.${name}}`),
    "${workflow.input}",
    ...referenceNames(text).map((name) => `\${${name}.output}`),
    "${workflow.variables}",
    "${workflow.workflowId}",
    "${workflow.correlationId}",
  ];
}
