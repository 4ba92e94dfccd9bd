import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import { useDefinitionNames } from "../../api/definitions.ts";
import { type Schedule, schedulesKey } from "../../api/schedules.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Checkbox, Field, TextInput } from "../../components/field.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { showToast } from "../../components/toasts.tsx";
import { CronPreview } from "./cron-preview.tsx";
import { type CronTime, type ScheduleForm, toForm, toSchedule } from "./form.ts";

type Props = {
  /** Left out: a new one. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
};

/** Makes a schedule, or changes one; says what its times mean while they are written. */
export function ScheduleDialog({ schedule, onClose, onSaved }: Props) {
  const [form, setForm] = useState(() => toForm(schedule, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const change = (changed: Partial<ScheduleForm>) => setForm({ ...form, ...changed });
  const queryClient = useQueryClient();
  const workflows = useDefinitionNames();
  const request = toRequest(form, schedule);
  const save = useMutation({
    mutationFn: (given: ApiRequest) => call(given),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: schedulesKey });
      showToast("good", `Saved ${form.name}`);
      onClose();
      onSaved(form.name);
    },
  });
  return (
    <Dialog isOpen isWide onClose={onClose} title={schedule === undefined ? "New schedule" : `Change ${schedule.name}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!(request instanceof Error)) save.mutate(request);
        }}
      >
        <div className="grid grid-cols-2 gap-4">
          <Field label="Name">
            <TextInput
              required
              value={form.name}
              disabled={schedule !== undefined}
              onChange={(event) => change({ name: event.target.value })}
            />
          </Field>
          <Field label="Description">
            <TextInput value={form.description} onChange={(event) => change({ description: event.target.value })} />
          </Field>
        </div>
        <Times times={form.times} onChange={(times) => change({ times })} />
        <div className="grid grid-cols-[2fr_1fr_2fr] gap-4">
          <Field label="Starts the workflow">
            <TextInput
              required
              list="workflow-names"
              value={form.workflow}
              onChange={(event) => change({ workflow: event.target.value })}
            />
          </Field>
          <Field label="Version">
            <TextInput
              placeholder="the latest"
              inputMode="numeric"
              pattern="\d*"
              value={form.version}
              onChange={(event) => change({ version: event.target.value })}
            />
          </Field>
          <Field label="Correlation id">
            <TextInput
              placeholder="nightly-${scheduledTime}"
              value={form.correlationId}
              onChange={(event) => change({ correlationId: event.target.value })}
            />
          </Field>
        </div>
        <datalist id="workflow-names">
          {workflows.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <JsonField label="Input" height="8rem" value={form.input} onChange={(input) => change({ input })} />
        <Checkbox
          label="Make up for times that passed while the server was away"
          isChecked={form.catchesUp}
          onChange={(catchesUp) => change({ catchesUp })}
        />
        {request instanceof Error && <p className="text-sm text-bad">{request.message}</p>}
        {save.error !== null && <Problem error={save.error} />}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">{!(request instanceof Error) && <CopyAs request={request} />}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={request instanceof Error || save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type TimesProps = { readonly times: readonly CronTime[]; readonly onChange: (times: readonly CronTime[]) => void };

function Times({ times, onChange }: TimesProps) {
  const set = (index: number, changed: Partial<CronTime>) =>
    onChange(times.map((time, i) => (i === index ? { ...time, ...changed } : time)));
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">When</legend>
      {times.map((time, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a time has no name of its own, and they are not reordered
        <div key={i}>
          <div className="flex items-end gap-3">
            <div className="flex-1">
              <Field label="Cron expression">
                <TextInput
                  required
                  className="mono"
                  value={time.cronExpression}
                  onChange={(event) => set(i, { cronExpression: event.target.value })}
                />
              </Field>
            </div>
            <div className="w-52">
              <Field label="Time zone">
                <TextInput
                  required
                  list="time-zones"
                  value={time.zoneId}
                  onChange={(event) => set(i, { zoneId: event.target.value })}
                />
              </Field>
            </div>
            {times.length > 1 && (
              <IconButton label="Remove this time" onClick={() => onChange(times.filter((_, at) => at !== i))}>
                <X />
              </IconButton>
            )}
          </div>
          <CronPreview time={time} />
        </div>
      ))}
      <p className="flex items-center justify-between text-xs text-faint">
        Second, minute, hour, day of month, month, day of week
        <Button
          isSmall
          onClick={() => onChange([...times, { cronExpression: "", zoneId: times.at(-1)?.zoneId ?? "UTC" }])}
        >
          <Plus /> More times
        </Button>
      </p>
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </fieldset>
  );
}

function toRequest(form: ScheduleForm, schedule: Schedule | undefined): ApiRequest | Error {
  try {
    return { method: "POST", path: "/scheduler/schedules", body: toSchedule(form, schedule) };
  } catch {
    return new Error("Expected the input to be JSON");
  }
}
