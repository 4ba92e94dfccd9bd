import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call, path } from "../../api/client.ts";
import { taskDefinitionsKey } from "../../api/task-definitions.ts";
import { IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showToast } from "../../components/toasts.tsx";

/** Deletes a task definition, once asked. */
export function RemoveTaskDefinition({ name }: { readonly name: string }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const request = { method: "DELETE", path: path`/metadata/taskdefs/${name}` } as const;
  const remove = useMutation({
    mutationFn: () => call(request),
    onSuccess: async () => {
      showToast("good", `Deleted ${name}`);
      await navigate({ to: "/task-definitions", search: {} });
      await queryClient.invalidateQueries({ queryKey: taskDefinitionsKey });
    },
  });
  return (
    <>
      <IconButton label={`Delete ${name}`} onClick={() => setAsking(true)}>
        <Trash2 />
      </IconButton>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${name}`}
          label="Delete"
          lines={["Tasks of this name are then done with the server's defaults."]}
          request={request}
          error={remove.error}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
