import type { Execution } from "../../api/types.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Panel } from "../../components/panel.tsx";

/** What went in, what came out, and what it keeps in between. */
export function DataTab({ execution }: { readonly execution: Execution }) {
  const { workflowId, input, output, variables, taskToDomain } = execution;
  return (
    <div className="grid min-h-0 flex-1 auto-rows-min gap-4 overflow-auto bg-sunken p-4 xl:grid-cols-2">
      <Panel title="Input">
        <JsonView value={input} label="input" fileName={`${workflowId}-input.json`} />
      </Panel>
      <Panel title="Output">
        <JsonView value={output} label="output" fileName={`${workflowId}-output.json`} />
      </Panel>
      <Panel title="Variables" note="Set by SET_VARIABLE tasks and from outside">
        <JsonView value={variables} label="variables" fileName={`${workflowId}-variables.json`} />
      </Panel>
      {Object.keys(taskToDomain).length > 0 && (
        <Panel title="Domains" note="Which workers get which tasks">
          <JsonView value={taskToDomain} label="domains" />
        </Panel>
      )}
    </div>
  );
}
