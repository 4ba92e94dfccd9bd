import type { Runtime } from "../runtime/runtime.ts";

const MAX_DEPTH = 1000;

/** True when `id` is `ancestor` or stands somewhere below it, found by going up. */
export async function isPartOf(runtime: Runtime, ancestor: string, id: string): Promise<boolean> {
  let at: string | undefined = id;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    if (at === ancestor) return true;
    at = (await runtime.loadHead(at))?.parentWorkflowId;
  }
  return false;
}
