import { classifierOf, isJsonObject, type JsonObject, ownMember, type RawJson } from "@downbeat/engine";
import { maskText } from "../http/wire/mask.ts";
import { taskSummaryText, workflowSummaryText } from "../http/wire/summary.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Redirect, Told } from "./listener.ts";
import type { Notice } from "./notice.ts";

/** Puts together what listeners are told: the notice as it was written down, with the payloads there are now. */
export async function toldOf(runtime: Runtime, id: string, notice: Notice): Promise<Told> {
  const { head } = notice;
  const { def } = await runtime.definitions.loadPlan(head.defHash);
  const no = notice.kind === "task" ? notice.task.no : 0;
  const { executions } = runtime.store;
  const read = async (slot: "input" | "output") =>
    maskText(textOf(await executions.payload(head.id, no, slot)), def.maskedFields);
  const payloads = { input: await read("input"), output: await read("output") };
  const asJson = runtime.config["service.app.summary-input-output-json-serialization.enabled"];
  const text = (options: { readonly asJson: boolean }): JsonObject => {
    if (notice.kind === "workflow") {
      const found = { head, classifier: classifierOf(def), ...payloads };
      return JSON.parse(workflowSummaryText(found, options)) as JsonObject;
    }
    const { task } = notice;
    const entry = def.tasks.find(({ taskReferenceName }) => taskReferenceName === task.ref);
    return {
      ...(JSON.parse(taskSummaryText({ head, task, ...payloads }, options)) as JsonObject),
      retryCount: task.retryCount,
      taskDescription: entry?.description ?? null,
      workflowTaskType: entry?.type ?? task.taskType,
    };
  };
  const objects = { input: JSON.parse(payloads.input), output: JSON.parse(payloads.output) };
  return {
    id,
    notice,
    summary: JSON.stringify(text({ asJson })),
    summaryWithObjects: JSON.stringify({ ...text({ asJson: true }), ...objects }),
    redirect: redirectOf(await executions.payload(head.id, 0, "variables")),
  };
}

/** Nothing is left of the payloads of an execution that was removed meanwhile. */
const textOf = ({ text }: RawJson): string => (text === "" ? "{}" : text);

function redirectOf(variables: RawJson): Redirect {
  const value = textOf(variables) === "{}" ? {} : variables.value;
  const given = isJsonObject(value) ? ownMember(value, "statusNotifier") : undefined;
  if (!isJsonObject(given)) return {};
  const texts = ["url", "endpointWorkflow", "endpointTask"].flatMap((name) => {
    const text = given[name];
    return typeof text === "string" && text !== "" ? [[name, text]] : [];
  });
  return Object.fromEntries(texts) as Redirect;
}
