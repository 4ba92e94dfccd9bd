import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { definitionsKey } from "../../api/definitions.ts";
import { deploySkill } from "../../api/skills.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { showToast } from "../../components/toasts.tsx";

type Props = {
  readonly name: string;
  readonly version: string;
  /** Of its manifest; empty where that names none. */
  readonly model: string;
  readonly onClose: () => void;
};

/** Makes an agent of a version. */
export function DeployDialog({ name, version, model, onClose }: Props) {
  const [otherModel, setOtherModel] = useState("");
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const request = deploySkill(name, version, otherModel);
  const deploy = useMutation({
    mutationFn: () => call<{ readonly agentName: string; readonly version: number }>(request),
    onSuccess: async ({ agentName, version: made }) => {
      showToast("good", `Deployed ${agentName} version ${made}`);
      await queryClient.invalidateQueries({ queryKey: definitionsKey });
      await navigate({ to: "/agents/$name", params: { name: agentName }, search: { tab: "skill" } });
    },
  });
  return (
    <ConfirmDialog
      title={`Deploy version ${version} of ${name}`}
      label="Deploy"
      isDanger={false}
      lines={[
        `It becomes the agent ${name}: the next version if there is one that differs.`,
        "Its scripts and files are read by an SDK's worker.",
      ]}
      request={request}
      error={deploy.error}
      isBusy={deploy.isPending || (model === "" && otherModel === "")}
      onConfirm={() => deploy.mutate()}
      onClose={onClose}
    >
      <Field
        label="Model"
        hint={model === "" ? "provider/model; its manifest names none" : "Its manifest's when left out"}
      >
        <TextInput
          className="mono"
          placeholder={model || "openai/gpt-4o-mini"}
          value={otherModel}
          onChange={(event) => setOtherModel(event.target.value)}
        />
      </Field>
    </ConfirmDialog>
  );
}
