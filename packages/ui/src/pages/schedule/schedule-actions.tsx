import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pause, Pencil, Play, Trash2, Zap } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call, path } from "../../api/client.ts";
import { type Schedule, type ScheduleRun, schedulesKey } from "../../api/schedules.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { showToast } from "../../components/toasts.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";

type Props = {
  readonly schedule: Schedule;
  /** Leaves the page: it shows what is about to be gone. */
  readonly onRemove: () => Promise<void>;
};
type Asked = "pause" | "change" | "remove";

/** What can be done with a schedule. */
export function ScheduleActions({ schedule, onRemove }: Props) {
  const { name, paused } = schedule;
  const [asked, setAsked] = useState<Asked>();
  const [reason, setReason] = useState("");
  const queryClient = useQueryClient();
  const close = () => setAsked(undefined);
  const refresh = () => queryClient.invalidateQueries({ queryKey: schedulesKey });
  const change = useMutation({
    mutationFn: ({ request }: { readonly request: ApiRequest; readonly done: string }) => call(request),
    onSuccess: async (_answer, { done }) => {
      showToast("good", done);
      close();
      await refresh();
    },
  });
  const run = useMutation({
    mutationFn: () => call<ScheduleRun>({ method: "POST", path: path`/scheduler/schedules/${name}/run` }),
    onSuccess: async ({ workflowId, reason: why }) => {
      if (workflowId === undefined) showToast("bad", `It could not be started: ${why ?? ""}`);
      else showToast("good", "Started");
      await refresh();
    },
    onError: (error) => showToast("bad", error.message),
  });
  const remove = async () => {
    await onRemove();
    try {
      await call(removeRequest);
      showToast("good", `Deleted ${name}`);
    } catch (error) {
      showToast("bad", error instanceof Error ? error.message : String(error));
    }
    await refresh();
  };
  const resumeRequest: ApiRequest = { method: "PUT", path: path`/scheduler/schedules/${name}/resume` };
  const pauseRequest: ApiRequest = {
    method: "PUT",
    path: path`/scheduler/schedules/${name}/pause`,
    query: { reason: reason === "" ? undefined : reason },
  };
  const removeRequest: ApiRequest = { method: "DELETE", path: path`/scheduler/schedules/${name}` };
  return (
    <>
      <Button onClick={() => setAsked("change")}>
        <Pencil /> Change
      </Button>
      {paused ? (
        <Button
          disabled={change.isPending}
          onClick={() => change.mutate({ request: resumeRequest, done: `${name} goes on` })}
        >
          <Play /> Resume
        </Button>
      ) : (
        <Button onClick={() => setAsked("pause")}>
          <Pause /> Pause
        </Button>
      )}
      <IconButton label={`Delete ${name}`} onClick={() => setAsked("remove")}>
        <Trash2 />
      </IconButton>
      <Button look="primary" disabled={run.isPending} onClick={() => run.mutate()}>
        <Zap /> Run now
      </Button>
      {asked === "change" && <ScheduleDialog schedule={schedule} onClose={close} onSaved={() => {}} />}
      {asked === "pause" && (
        <ConfirmDialog
          title={`Pause ${name}`}
          label="Pause"
          isDanger={false}
          lines={["It fires no more until it is resumed.", "Times that pass meanwhile are not made up for."]}
          request={pauseRequest}
          error={change.error}
          isBusy={change.isPending}
          onConfirm={() => change.mutate({ request: pauseRequest, done: `${name} is paused` })}
          onClose={close}
        >
          <Field label="Reason" hint="Shown to whoever looks at it">
            <TextInput value={reason} onChange={(event) => setReason(event.target.value)} />
          </Field>
        </ConfirmDialog>
      )}
      {asked === "remove" && (
        <ConfirmDialog
          title={`Delete ${name}`}
          label="Delete"
          lines={["It fires no more. What it has started goes on, and the records of it stay."]}
          request={removeRequest}
          error={null}
          isBusy={false}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </>
  );
}
