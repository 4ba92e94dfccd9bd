import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { findObject, findText, withoutUndefined } from "../../frameworks/raw.ts";
import { InvalidAgent } from "../../invalid-agent.ts";

/** What is said of a package beside what it holds. */
export type Manifest = {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly metadata: JsonObject | undefined;
  /** Models, as parts of a rawConfig. */
  readonly models: JsonObject;
};

const VERSION = /^[A-Za-z0-9._+-]{1,128}$/;

/** Reads the manifest of a package. Throws InvalidAgent. */
export function readManifest(text: string): Manifest {
  if (text.trim() === "") throw new InvalidAgent("Skill manifest is required");
  const manifest = parse(text);
  const raw = findObject(manifest, "rawConfig") ?? {};
  const version = findText(manifest, "version");
  if (version !== undefined && (!VERSION.test(version) || version === "latest")) {
    throw new InvalidAgent(
      `Invalid skill version '${version}'. Use 1-128 characters: letters, numbers, '.', '_', '+', or '-'.`,
    );
  }
  return {
    name: findText(manifest, "name"),
    version,
    description: findText(manifest, "description"),
    metadata: findObject(manifest, "metadata"),
    models: withoutUndefined({
      model: findText(manifest, "model") ?? findText(raw, "model"),
      agentModels: findObject(manifest, "agentModels") ?? findObject(raw, "agentModels"),
    }),
  };
}

function parse(text: string): JsonObject {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidAgent(`Invalid skill manifest JSON: ${reason}`, { cause: error });
  }
  if (!isJsonObject(manifest)) throw new InvalidAgent("Invalid skill manifest JSON: expected an object");
  return manifest;
}
