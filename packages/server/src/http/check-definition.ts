import { validateWorkflowDef, type WorkflowDef } from "@downbeat/engine";
import type { Runtime } from "../runtime/runtime.ts";
import { assertValid } from "./errors.ts";

type CheckOptions = {
  /** How the interface names the place of the definition in the request. */
  readonly prefix: string;
  /** Rules that only the validate endpoint reports. */
  readonly strict: boolean;
  readonly missing?: ReadonlySet<string>;
};

/** Throws a 400 with every rule the definition breaks, its scripts included. */
export async function checkWorkflowDef(runtime: Runtime, def: WorkflowDef, options: CheckOptions): Promise<void> {
  const scripts = new Set<string>();
  const validate = (checkScript: (source: string) => string | undefined) =>
    validateWorkflowDef(def, {
      ...options,
      ownerEmailMandatory: runtime.config["service.app.ownerEmailMandatory"],
      findTaskDef: (name) => runtime.definitions.findTaskDef(name),
      checkScript,
    });
  // The first pass finds the scripts. They are parsed in the sandbox, which may take a moment, so they come second.
  const problems = validate((source) => {
    scripts.add(source);
    return undefined;
  });
  const messages = new Map<string, string>();
  for (const source of scripts) {
    const message = await runtime.sandbox.checkSyntax(source);
    if (message !== undefined) messages.set(source, message);
  }
  assertValid(messages.size === 0 ? problems : validate((source) => messages.get(source)));
}
