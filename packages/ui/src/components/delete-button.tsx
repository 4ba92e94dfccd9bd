import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../api/client.ts";
import { IconButton } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { showToast } from "./toasts.tsx";

type Props = {
  readonly name: string;
  /** Of something that has versions, the one to delete. */
  readonly version?: number | string;
  readonly request: ApiRequest;
  /** What will happen. */
  readonly lines: readonly string[];
  /** What was read of it and its like. */
  readonly queryKey: QueryKey;
  /** Away from what is no more. */
  readonly leave: () => Promise<void>;
};

/** Deletes something that has a name, or one version of it, after asking. */
export function DeleteButton({ name, version, request, lines, queryKey, leave }: Props) {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(request),
    onSuccess: async () => {
      showToast("good", `Deleted ${version === undefined ? name : `${name} version ${version}`}`);
      await leave();
      await queryClient.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <IconButton
        label={`Delete ${version === undefined ? name : `version ${version}`}`}
        onClick={() => setAsking(true)}
      >
        <Trash2 />
      </IconButton>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${version === undefined ? name : `version ${version} of ${name}`}`}
          label="Delete"
          lines={lines}
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
