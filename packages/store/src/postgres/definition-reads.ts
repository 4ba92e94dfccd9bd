import type { TaskDef, WorkflowDef } from "@downbeat/engine";
import type { DefinitionReads } from "../port.ts";
import type { Reads } from "./reader.ts";
import { safeText } from "./text.ts";

type BodyRow = { readonly body: string };

const statements = {
  pinned: { name: "pinned", text: "select d.body from def d where d.hash = $1" },
  workflowDefs: { name: "workflowDefs", text: "select w.body from workflow_def w order by w.name, w.version" },
  taskDefs: { name: "taskDefs", text: "select t.body from task_def t order by t.name" },
} as const;

export function createDefinitionReads(reader: Reads): DefinitionReads {
  return {
    pinned: async (hash) => (await reader.first<BodyRow>(statements.pinned, [safeText(hash)]))?.body,
    workflowDefs: async () =>
      (await reader.all<BodyRow>(statements.workflowDefs, [])).map(({ body }) => JSON.parse(body) as WorkflowDef),
    taskDefs: async () =>
      (await reader.all<BodyRow>(statements.taskDefs, [])).map(({ body }) => JSON.parse(body) as TaskDef),
  };
}
