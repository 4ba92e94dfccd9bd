import type { Problem } from "./problem.ts";

/** The rules on the list itself; its elements are normalized and validated one by one. */
export function validateTaskDefList(list: readonly unknown[] | null, prefix: string): readonly Problem[] {
  if (list === null) return [{ path: prefix, message: "TaskDefList cannot be empty or null" }];
  return list.length === 0 ? [{ path: prefix, message: "TaskDefList is empty" }] : [];
}

export function validateWorkflowDefList(list: readonly unknown[], prefix: string): readonly Problem[] {
  if (list.length === 0) return [{ path: prefix, message: "WorkflowDefList is empty" }];
  return list.flatMap((def, index) =>
    def === null ? [{ path: `${prefix}[${index}].<list element>`, message: "WorkflowDef cannot be null" }] : [],
  );
}
