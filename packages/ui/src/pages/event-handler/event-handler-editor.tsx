import { useDefinitionNames } from "../../api/definitions.ts";
import { eventHandlersKey } from "../../api/event-handlers.ts";
import { DraftEditor } from "../../editing/draft-editor.tsx";

type Props = {
  readonly draftKey: string;
  readonly saved: string;
  readonly isNew: boolean;
  readonly onSaved: (name: string) => void;
};

/** An event handler as text. */
export function EventHandlerEditor(props: Props) {
  const workflows = useDefinitionNames();
  return (
    <DraftEditor
      {...props}
      label="The event handler as JSON"
      schemaName="EventHandler"
      suggest={(steps) => (steps.slice(-2).join(".") === "start_workflow.name" ? workflows : [])}
      toRequest={(value) => ({ method: props.isNew ? "POST" : "PUT", path: "/event", body: value })}
      queryKey={eventHandlersKey}
    />
  );
}
