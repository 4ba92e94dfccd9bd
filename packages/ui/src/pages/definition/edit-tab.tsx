import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Save, Undo2 } from "lucide-react";
import { useMemo, useRef } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import { definitionsKey, useVersions } from "../../api/definitions.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { showToast } from "../../components/toasts.tsx";
import { useDraft } from "../../editing/draft.ts";
import { DefinitionEditor } from "./editor.tsx";

type Draft = { readonly name?: unknown; readonly version?: unknown };

type Props = {
  /** What is kept of it until it is saved goes under this. */
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  readonly onSaved: (name: string, version: number) => void;
};

/** Changing a definition: as a new version, or in place. */
export function EditTab({ draftKey, saved, isNew, onSaved }: Props) {
  const { text, isChanged, set, discard } = useDraft(draftKey, saved);
  const draft = useLastValid(text);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (request: ApiRequest) => call(request),
    onSuccess: async (_answer, { body }) => {
      const [stored] = [body].flat() as readonly Draft[];
      await queryClient.invalidateQueries({ queryKey: definitionsKey });
      discard();
      showToast("good", `Saved ${String(stored?.name)} version ${String(stored?.version)}`);
      onSaved(String(stored?.name), Number(stored?.version));
    },
  });
  const ways = useWaysToSave(draft.value);
  const isBlocked = !draft.isCurrent || save.isPending || (!isChanged && !isNew);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 items-center gap-2 border-b border-line px-3">
        {isChanged && !isNew && <span className="text-xs text-held">Not saved</span>}
        {!draft.isCurrent && <span className="text-xs text-bad">This is not JSON yet</span>}
        <div className="ml-auto flex items-center gap-1.5">
          {ways[0] !== undefined && <CopyAs request={ways[0].request} label="Copy save as" />}
          {isChanged && (
            <Button onClick={discard}>
              <Undo2 /> Discard
            </Button>
          )}
          {ways.toReversed().map(({ label, request }, i) => (
            <Button
              key={label}
              look={i === ways.length - 1 ? "primary" : "plain"}
              disabled={isBlocked}
              onClick={() => save.mutate(request)}
            >
              <Save /> {label}
            </Button>
          ))}
        </div>
      </div>
      {save.error !== null && <Problem error={save.error} />}
      <DefinitionEditor text={text} onChange={set} draft={draft.value} />
    </div>
  );
}

type Way = { readonly label: string; readonly request: ApiRequest };

/** The best first: what is saved is not lost by saving again. */
function useWaysToSave(value: unknown): readonly Way[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const draft: Draft = isObject ? value : {};
  const name = typeof draft.name === "string" ? draft.name : "";
  const version = typeof draft.version === "number" ? draft.version : 1;
  const versions = useVersions(name);
  const create = (body: object): ApiRequest => ({ method: "POST", path: "/metadata/workflow", body });
  if (!versions.includes(version)) {
    return [{ label: `Save version ${version}`, request: create({ ...draft, version }) }];
  }
  const next = Math.max(...versions) + 1;
  return [
    { label: `Save as version ${next}`, request: create({ ...draft, version: next }) },
    { label: `Save over version ${version}`, request: { method: "PUT", path: "/metadata/workflow", body: [draft] } },
  ];
}

/** The text as a value; while it cannot be read, as it last was. */
function useLastValid(text: string): { readonly value: unknown; readonly isCurrent: boolean } {
  const last = useRef<unknown>({});
  const read = useMemo(() => {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      // Half typed.
      return undefined;
    }
  }, [text]);
  if (read !== undefined) last.current = read.value;
  return { value: last.current, isCurrent: read !== undefined };
}
