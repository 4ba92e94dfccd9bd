import { RawJson } from "../expression/raw-json.ts";
import type { SecretPlace } from "../expression/secret-place.ts";
import type { JsonObject } from "../json.ts";
import { utf8Length } from "./finish.ts";
import type { Transition } from "./transition.ts";

/** Lays the given variables over those that are there. Gives the reason when they do not fit; nothing is set then. */
export function layVariables(t: Transition, given: RawJson): string | undefined {
  const values = given.value as JsonObject;
  const text = JSON.stringify({ ...(t.workflow("variables").value as JsonObject), ...values });
  const limit = t.context.settings.maxVariablesBytes;
  const size = text.length > limit / 3 ? utf8Length(text) : text.length;
  if (size > limit) {
    return `The variables payload size: ${size} of workflow: ${t.head.id} is greater than the permissible limit: ${Math.floor(limit / 1024)} kilobytes`;
  }
  t.setWorkflow("variables", new RawJson(text));
  keepSecretMarks(t, Object.keys(values), given.secrets);
  return undefined;
}

/** References to secrets stay references: their marks follow the value into the variables, and go when it goes. */
function keepSecretMarks(t: Transition, overwritten: readonly string[], places: readonly SecretPlace[]): void {
  const { variableSecrets } = t.head;
  if (variableSecrets === undefined && places.length === 0) return;
  const old = variableSecrets === undefined ? [] : (JSON.parse(variableSecrets) as SecretPlace[]);
  const kept = old.filter((place) => !overwritten.includes(String(place.path[0])));
  t.patchHead({ variableSecrets: JSON.stringify([...kept, ...places]) });
}
