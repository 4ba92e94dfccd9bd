import { isExecutionId } from "@downbeat/engine";
import type { Runtime } from "../runtime/runtime.ts";

/** True of an execution itself, its ancestors and its descendants, however deep. Siblings are none. */
export async function isFamily(runtime: Runtime, caller: string, owner: string): Promise<boolean> {
  if (caller === owner) return true;
  return (await isAncestor(runtime, owner, caller)) || (await isAncestor(runtime, caller, owner));
}

/** Walks up: an execution has one parent and any number of children. A removed one ends the walk. */
async function isAncestor(runtime: Runtime, wanted: string, from: string): Promise<boolean> {
  let id: string | undefined = from;
  while (id !== undefined && isExecutionId(id)) {
    const head: { readonly parentWorkflowId?: string } | undefined = await runtime.loadHead(id);
    id = head?.parentWorkflowId;
    if (id === wanted) return true;
  }
  return false;
}
