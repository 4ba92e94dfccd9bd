import type { Runtime } from "../runtime/runtime.ts";

const MAX_DEPTH = 1000;

/** True when `id` stands somewhere below `ancestor`, found by going up. */
export async function findDescendant(runtime: Runtime, ancestor: string, id: string): Promise<boolean> {
  let at: string | undefined = id;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    const parent: string | undefined = (await runtime.loadHead(at))?.parentWorkflowId;
    if (parent === ancestor) return true;
    at = parent;
  }
  return false;
}
