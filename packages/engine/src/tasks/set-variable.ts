import { utf8Length } from "../decide/finish.ts";
import { completed, failedForGood } from "../decide/outcome.ts";
import { inputNode } from "../decide/scope.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { SecretPlace } from "../expression/secret-place.ts";
import type { TaskType } from "../registry.ts";

/** SET_VARIABLE: every input key becomes a workflow variable. */
export const setVariable: TaskType = {
  type: "SET_VARIABLE",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run(t, task) {
    const input = inputNode(t, task);
    const given = input.value as Record<string, never>;
    const before = t.workflow("variables").value as Record<string, never>;
    const text = JSON.stringify({ ...before, ...given });
    const limit = t.context.settings.maxVariablesBytes;
    const size = text.length > limit / 3 ? utf8Length(text) : text.length;
    if (size > limit) {
      const kilobytes = Math.floor(limit / 1024);
      return failedForGood(
        `The variables payload size: ${size} of workflow: ${t.head.id} is greater than the permissible limit: ${kilobytes} kilobytes`,
      );
    }
    t.setWorkflow("variables", new RawJson(text));
    keepSecretMarks(t, Object.keys(given), input.secrets);
    return completed();
  },
};

/** References to secrets stay references: their marks follow the value into the variables. */
function keepSecretMarks(
  t: Parameters<NonNullable<TaskType["run"]>>[0],
  overwritten: readonly string[],
  places: readonly SecretPlace[],
): void {
  const { variableSecrets } = t.head;
  if (variableSecrets === undefined && places.length === 0) return;
  const old = variableSecrets === undefined ? [] : (JSON.parse(variableSecrets) as SecretPlace[]);
  const kept = old.filter((place) => !overwritten.includes(String(place.path[0])));
  t.patchHead({ variableSecrets: JSON.stringify([...kept, ...places]) });
}
