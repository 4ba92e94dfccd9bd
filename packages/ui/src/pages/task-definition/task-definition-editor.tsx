import { taskDefinitionsKey } from "../../api/task-definitions.ts";
import { DraftEditor } from "../../editing/draft-editor.tsx";

type Props = {
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  readonly onSaved: (name: string) => void;
};

/** A task definition as text. */
export function TaskDefinitionEditor(props: Props) {
  return (
    <DraftEditor
      {...props}
      label="The task definition as JSON"
      schemaName="TaskDef"
      toRequest={(value) => ({ method: "POST", path: "/metadata/taskdefs", body: [value] })}
      queryKey={taskDefinitionsKey}
    />
  );
}
