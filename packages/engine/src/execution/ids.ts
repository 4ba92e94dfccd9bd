/**
 * Execution ids are UUIDs whose last six hex digits are zero; a task's id is its execution's id with the task's number
 * in that place. So a task id leads straight to its execution and needs no index.
 */
const SUFFIX = 6;
export const MAX_TASK_NO = 0xffffff;

export const taskId = (executionId: string, no: number): string =>
  executionId.slice(0, -SUFFIX) + no.toString(16).padStart(SUFFIX, "0");

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Undefined when the text is not one of our task ids. */
export function parseTaskId(id: string): { readonly executionId: string; readonly no: number } | undefined {
  if (!uuid.test(id)) return undefined;
  const no = Number.parseInt(id.slice(-SUFFIX), 16);
  return no === 0 ? undefined : { executionId: `${id.slice(0, -SUFFIX)}000000`, no };
}

export const isExecutionId = (id: string): boolean => uuid.test(id) && id.endsWith("000000");
