import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { Save, Undo2 } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../api/client.ts";
import { Button } from "../components/button.tsx";
import { CopyAs } from "../components/copy-as.tsx";
import { Problem } from "../components/error-boundary.tsx";
import { showToast } from "../components/toasts.tsx";
import { useDraft } from "./draft.ts";
import { ProblemList } from "./problem-list.tsx";
import type { Suggest } from "./schema-completion.ts";
import { type FoundProblem, type Reveal, SchemaEditor, type TextProblem } from "./schema-editor.tsx";

type Props = {
  readonly label: string;
  /** What is kept of it until it is saved goes under this. */
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  readonly schemaName: string;
  readonly suggest?: Suggest;
  /** Asks for what is wrong with a text that is JSON. */
  readonly check?: (value: unknown) => Promise<readonly TextProblem[]>;
  /** What to bring into sight, from outside. */
  readonly reveal?: Reveal | undefined;
  /** On the button: "Save" unless the interface has another word. */
  readonly saveLabel?: string;
  /** How the text, as a value, is saved. */
  readonly toRequest: (value: unknown) => ApiRequest;
  /** Under which name it was saved, where the answer says so and the text need not. */
  readonly answeredName?: (answer: unknown) => string | undefined;
  /** What changes when it is. */
  readonly queryKey: QueryKey;
  readonly onSaved: (name: string) => void;
};

/** Something with a name, as text that is edited and saved as a whole. */
export function DraftEditor(props: Props) {
  const { label, draftKey, saved, isNew, schemaName, suggest, check, toRequest, queryKey, onSaved } = props;
  const { saveLabel = "Save", answeredName } = props;
  const { text, isChanged, set, discard } = useDraft(draftKey, saved);
  const [problems, setProblems] = useState<readonly FoundProblem[]>([]);
  const [found, setFound] = useState<{ readonly reveal: Reveal; readonly after: Reveal | undefined }>();
  const queryClient = useQueryClient();
  const read = parse(text);
  const request = read && toRequest(read.value);
  const save = useMutation({
    mutationFn: async ({ request: given, name }: { readonly request: ApiRequest; readonly name: string }) => {
      const answer = await call(given);
      await queryClient.invalidateQueries({ queryKey });
      return answeredName?.(answer) ?? name;
    },
    onSuccess: (name) => {
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
          onClick={() => request && save.mutate({ request, name: nameOf(read.value) })}
        >
          <Save /> {saveLabel}
        </Button>
      </div>
      {save.error !== null && <Problem error={save.error} />}
      <div className="min-h-0 flex-1">
        <SchemaEditor
          label={label}
          value={text}
          onChange={set}
          schemaName={schemaName}
          {...(suggest === undefined ? {} : { suggest })}
          {...(check === undefined ? {} : { check })}
          onProblems={setProblems}
          // Whatever was asked for last.
          reveal={found !== undefined && found.after === props.reveal ? found.reveal : props.reveal}
        />
      </div>
      <ProblemList problems={problems} onShow={({ steps }) => setFound({ reveal: { steps }, after: props.reveal })} />
    </div>
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Half typed.
    return undefined;
  }
}

const nameOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "name" in value ? String(value.name) : "";
