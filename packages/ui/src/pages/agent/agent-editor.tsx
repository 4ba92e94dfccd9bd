import { useCallback, useMemo, useState } from "react";
import { compileAgent, deployRequest } from "../../api/agents.ts";
import { definitionsKey } from "../../api/definitions.ts";
import { ErrorBoundary } from "../../components/error-boundary.tsx";
import { DraftEditor } from "../../editing/draft-editor.tsx";
import type { Steps } from "../../editing/json-places.ts";
import type { Reveal } from "../../editing/schema-editor.tsx";
import { layOutAgent } from "../../graph/agent-layout.ts";
import { Flow } from "../../graph/flow.tsx";
import type { DiagramNode } from "../../graph/layout.ts";
import { toAgentProblems } from "./problems.ts";

type Props = {
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  /** Empty where it is in the interface's own words. */
  readonly framework: string;
  readonly onSaved: (name: string) => void;
};

/** An agent as text, and as a picture of what it works with. */
export function AgentEditor({ framework, ...props }: Props) {
  const [drawn, setDrawn] = useState<unknown>(() => (framework === "" ? JSON.parse(props.saved) : {}));
  const [reveal, setReveal] = useState<Reveal>();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const check = useCallback(
    async (value: unknown) => {
      if (framework === "") setDrawn(value);
      try {
        const { workflowDef, warnings: told = [] } = await compileAgent(value, framework);
        // A framework's own words differ: what they are understood as is drawn.
        if (framework !== "") setDrawn(workflowDef.metadata?.["normalizedAgentDef"]);
        setWarnings(told);
        return [];
      } catch (error) {
        setWarnings([]);
        return toAgentProblems(error);
      }
    },
    [framework],
  );
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex w-[50%] min-w-96 shrink-0 flex-col border-r border-line">
        <DraftEditor
          {...props}
          label="The agent as JSON"
          saveLabel="Deploy"
          schemaName={framework === "" ? "AgentConfig" : ""}
          suggest={suggest}
          check={check}
          reveal={reveal}
          toRequest={(value) => deployRequest(value, framework)}
          answeredName={(answer) => (answer as { readonly agentName?: string }).agentName}
          queryKey={definitionsKey}
        />
        {warnings.length > 0 && (
          <ul
            aria-label="Warnings"
            className="max-h-32 overflow-auto border-t border-line bg-held-soft px-3 py-2 text-sm text-held"
          >
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
      </div>
      <div className="min-w-0 flex-1">
        <ErrorBoundary>
          <AgentPicture config={drawn} onShow={(steps) => setReveal({ steps })} />
        </ErrorBoundary>
      </div>
    </div>
  );
}

type PictureProps = { readonly config: unknown; readonly onShow: (steps: Steps) => void };

function AgentPicture({ config, onShow }: PictureProps) {
  const [chosen, setChosen] = useState<string>();
  const diagram = useMemo(() => layOutAgent(config), [config]);
  const isOpen = useCallback(({ id }: DiagramNode) => id === chosen, [chosen]);
  return (
    <Flow
      diagram={diagram}
      isOpen={isOpen}
      onOpen={({ id, part }) => {
        setChosen(id);
        if (part !== undefined) onShow(part.steps);
      }}
    />
  );
}

const toolTypes = ["worker", "http", "api", "mcp", "human", "agent_tool", "rag_search", "rag_index", "generate_image"];
const models = ["openai/gpt-4o-mini", "openai/gpt-4o", "anthropic/claude-sonnet-4-20250514", "gemini/gemini-2.5-flash"];

/** What may stand at a place besides what the schema lists. */
function suggest(steps: Steps): readonly string[] {
  const key = steps.at(-1);
  if (key === "toolType") return toolTypes;
  if (key === "model") return models;
  if (key === "guardrailType") return ["regex", "llm", "custom", "external"];
  return [];
}
