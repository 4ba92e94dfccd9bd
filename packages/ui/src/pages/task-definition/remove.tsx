import { useNavigate } from "@tanstack/react-router";
import { path } from "../../api/client.ts";
import { taskDefinitionsKey } from "../../api/task-definitions.ts";
import { DeleteButton } from "../../components/delete-button.tsx";

export function RemoveTaskDefinition({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      request={{ method: "DELETE", path: path`/metadata/taskdefs/${name}` }}
      lines={["Tasks of this name are then done with the server's defaults."]}
      queryKey={taskDefinitionsKey}
      leave={() => navigate({ to: "/task-definitions", search: {} })}
    />
  );
}
