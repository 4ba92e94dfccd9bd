import { Columns3 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Checkbox, Select, TextInput } from "../../components/field.tsx";
import { Menu, MenuCheck, MenuItem, MenuSeparator } from "../../components/menu.tsx";
import { StatusDot } from "../../components/status-badge.tsx";
import { statusLabel, workflowStatuses } from "../../lib/status.ts";
import { chosenColumns, columns } from "./columns.tsx";
import { type ExecutionsSearch, type Range, rangeNames } from "./search.ts";

type Props = {
  readonly search: ExecutionsSearch;
  readonly onChange: (change: { [Name in keyof ExecutionsSearch]?: ExecutionsSearch[Name] | undefined }) => void;
  readonly types: readonly string[];
};

const rangeLabels: Record<Range, string> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};

/** The filters that need no language. */
export function Filters({ search, onChange, types }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <StatusFilter search={search} onChange={onChange} types={types} />
      <Select
        aria-label="Workflow"
        className="!w-44"
        value={search.type ?? ""}
        onChange={(event) => onChange({ type: event.target.value || undefined })}
      >
        <option value="">Any workflow</option>
        {[...new Set([...types, ...(search.type === undefined ? [] : [search.type])])].map((type) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
      <Select
        aria-label="Started"
        className="!w-40"
        value={search.range ?? ""}
        onChange={(event) => onChange({ range: (event.target.value || undefined) as Range | undefined })}
      >
        <option value="">Any time</option>
        {rangeNames.map((name) => (
          <option key={name} value={name}>
            {rangeLabels[name]}
          </option>
        ))}
      </Select>
      <FreeText value={search.text ?? ""} onChange={(text) => onChange({ text: text || undefined })} />
      <Checkbox
        label="Without sub-workflows"
        isChecked={search.topLevel ?? false}
        onChange={(isOn) => onChange({ topLevel: isOn || undefined })}
      />
      <div className="ml-auto">
        <ColumnsMenu search={search} onChange={onChange} types={types} />
      </div>
    </div>
  );
}

function StatusFilter({ search, onChange }: Props) {
  const chosen = search.status?.split(",") ?? [];
  const set = (status: string, isOn: boolean) => {
    const next = workflowStatuses.filter((one) => (one === status ? isOn : chosen.includes(one)));
    onChange({ status: next.length === 0 ? undefined : next.join(",") });
  };
  const label = chosen.length === 0 ? "Any status" : chosen.map(statusLabel).join(", ");
  return (
    <Menu align="start" trigger={<Button className="!font-normal">{label}</Button>}>
      {workflowStatuses.map((status) => (
        <MenuCheck key={status} isChecked={chosen.includes(status)} onChange={(isOn) => set(status, isOn)}>
          <StatusDot status={status} /> {statusLabel(status)}
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onChange({ status: undefined })}>Any status</MenuItem>
    </Menu>
  );
}

const TYPING_MS = 300;

function FreeText({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  useEffect(() => {
    if (draft.trim() === value) return;
    const timer = setTimeout(() => onChange(draft.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [draft, value, onChange]);
  return (
    <TextInput
      type="search"
      aria-label="Any text"
      placeholder="Any text: ids, inputs, reasons…"
      className="!w-60"
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
    />
  );
}

function ColumnsMenu({ search, onChange }: Props) {
  const chosen = chosenColumns(search.columns).map(({ name }) => name);
  const set = (name: string, isOn: boolean) => {
    const next = columns.map((column) => column.name).filter((one) => (one === name ? isOn : chosen.includes(one)));
    onChange({ columns: next.length === 0 ? undefined : next.join(",") });
  };
  return (
    <Menu
      trigger={
        <Button look="ghost" isSmall>
          <Columns3 /> Columns
        </Button>
      }
    >
      {columns.map(({ name, label }) => (
        <MenuCheck key={name} isChecked={chosen.includes(name)} onChange={(isOn) => set(name, isOn)}>
          {label}
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onChange({ columns: undefined })}>The usual ones</MenuItem>
    </Menu>
  );
}
