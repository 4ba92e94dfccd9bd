import { isJsonObject, type JsonObject } from "../json.ts";
import { assertNesting } from "./fields.ts";
import { normalizeWorkflowTask } from "./normalize.ts";
import type { WorkflowTask } from "./types.ts";

/** An entry, and the one it differs from in its reference name and its input parameters alone. */
export type AlikeEntry = { readonly task: WorkflowTask; readonly model: WorkflowTask };

/** Normalises entries of which many are alike, as the branches of a fork are: what they share is read once. */
export class AlikeEntries {
  readonly #models = new Map<string, WorkflowTask>();

  normalize(source: JsonObject): AlikeEntry {
    const { taskReferenceName, inputParameters = {}, ...shared } = source;
    if (typeof taskReferenceName !== "string" || !isJsonObject(inputParameters)) {
      const task = normalizeWorkflowTask(source);
      return { task, model: task };
    }
    const key = JSON.stringify(shared);
    const model = this.#models.get(key);
    if (model !== undefined) {
      assertNesting(inputParameters, "inputParameters");
      return { task: { ...model, taskReferenceName, inputParameters }, model };
    }
    const task = normalizeWorkflowTask(source);
    this.#models.set(key, task);
    return { task, model: task };
  }
}
