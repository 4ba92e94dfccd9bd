import type { TaskDef, WorkflowDef } from "@downbeat/engine";
import type { DefinitionReads } from "../port.ts";
import type { Reads } from "./reader.ts";
import { safeText } from "./text.ts";

type BodyRow = { readonly body: string };

const statements = {
  pinned: { name: "pinned", text: "select d.body from def d where d.hash = $1" },
  workflowDefs: {
    name: "workflowDefs",
    text: "select w.body from workflow_def w where $1::text is null or w.name = $1 order by w.name, w.version",
  },
  taskDefs: {
    name: "taskDefs",
    text: "select t.body from task_def t where $1::text is null or t.name = $1 order by t.name",
  },
} as const;

export function createDefinitionReads(reader: Reads): DefinitionReads {
  return {
    pinned: async (hash) => (await reader.first<BodyRow>(statements.pinned, [safeText(hash)]))?.body,
    workflowDefs: async (name) =>
      (await reader.all<BodyRow>(statements.workflowDefs, [nameOrAll(name)])).map(
        ({ body }) => JSON.parse(body) as WorkflowDef,
      ),
    taskDefs: async (name) =>
      (await reader.all<BodyRow>(statements.taskDefs, [nameOrAll(name)])).map(
        ({ body }) => JSON.parse(body) as TaskDef,
      ),
  };
}

const nameOrAll = (name: string | undefined): string | null => (name === undefined ? null : safeText(name));
