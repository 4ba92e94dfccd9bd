import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { deleteSkill, skillsKey } from "../../api/skills.ts";
import { IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showToast } from "../../components/toasts.tsx";

type Props = { readonly name: string; readonly version: string; readonly isOnly: boolean };

export function RemoveVersion({ name, version, isOnly }: Props) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const request = deleteSkill(name, version);
  const remove = useMutation({
    mutationFn: () => call(request),
    onSuccess: async () => {
      showToast("good", `Deleted ${name} version ${version}`);
      await (isOnly
        ? navigate({ to: "/skills", search: {} })
        : navigate({ to: "/skills/$name", params: { name }, search: {} }));
      await queryClient.invalidateQueries({ queryKey: skillsKey });
    },
  });
  return (
    <>
      <IconButton label={`Delete version ${version}`} onClick={() => setAsking(true)}>
        <Trash2 />
      </IconButton>
      {isAsking && (
        <ConfirmDialog
          title={`Delete version ${version} of ${name}`}
          label="Delete"
          lines={[
            "Its package is gone after that. Agents made of it stay as they are.",
            isOnly
              ? "It is the only version: whatever names this skill will fail."
              : "What names this version will fail.",
          ]}
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
