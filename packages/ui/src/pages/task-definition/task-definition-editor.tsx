import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Save, Undo2 } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import { taskDefinitionsKey } from "../../api/task-definitions.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { showToast } from "../../components/toasts.tsx";
import { useDraft } from "../../editing/draft.ts";
import { ProblemList } from "../../editing/problem-list.tsx";
import { type FoundProblem, type Reveal, SchemaEditor } from "../../editing/schema-editor.tsx";

type Props = {
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  readonly onSaved: (name: string) => void;
};

/** A task definition as text. */
export function TaskDefinitionEditor({ draftKey, saved, isNew, onSaved }: Props) {
  const { text, isChanged, set, discard } = useDraft(draftKey, saved);
  const [problems, setProblems] = useState<readonly FoundProblem[]>([]);
  const [reveal, setReveal] = useState<Reveal>();
  const queryClient = useQueryClient();
  const request = toRequest(text);
  const save = useMutation({
    mutationFn: (given: ApiRequest) => call(given),
    onSuccess: async (_answer, { body }) => {
      const [{ name }] = body as [{ readonly name: string }];
      await queryClient.invalidateQueries({ queryKey: taskDefinitionsKey });
      discard();
      showToast("good", `Saved ${name}`);
      onSaved(name);
    },
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 items-center justify-end gap-1.5 border-b border-line px-3">
        {isChanged && !isNew && <span className="mr-auto text-xs text-held">Not saved</span>}
        {request !== undefined && <CopyAs request={request} label="Copy save as" />}
        {isChanged && (
          <Button onClick={discard}>
            <Undo2 /> Discard
          </Button>
        )}
        <Button
          look="primary"
          disabled={request === undefined || save.isPending || (!isChanged && !isNew)}
          onClick={() => request && save.mutate(request)}
        >
          <Save /> Save
        </Button>
      </div>
      {save.error !== null && <Problem error={save.error} />}
      <div className="min-h-0 flex-1">
        <SchemaEditor
          label="The task definition as JSON"
          value={text}
          onChange={set}
          schemaName="TaskDef"
          onProblems={setProblems}
          reveal={reveal}
        />
      </div>
      <ProblemList problems={problems} onShow={({ steps }) => setReveal({ steps })} />
    </div>
  );
}

function toRequest(text: string): ApiRequest | undefined {
  try {
    return { method: "POST", path: "/metadata/taskdefs", body: [JSON.parse(text)] };
  } catch {
    // Half typed.
    return undefined;
  }
}
