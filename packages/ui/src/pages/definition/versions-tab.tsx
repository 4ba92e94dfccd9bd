import { lazy, type ReactNode, Suspense } from "react";
import { type FullDefinition, useDefinition, useVersions } from "../../api/definitions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Select } from "../../components/field.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { toText } from "./tidy.ts";

const JsonDiff = lazy(async () => ({ default: (await import("../../components/json-diff.tsx")).JsonDiff }));

type Props = {
  readonly name: string;
  /** The two that are compared; the last two when left out. */
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly onChoose: (sides: { readonly left: number; readonly right: number }) => void;
};

/** Any two versions of a definition, side by side. */
export function VersionsTab({ name, left, right, onChoose }: Props) {
  const versions = useVersions(name);
  if (versions.length === 0) return <Skeleton />;
  if (versions.length === 1) {
    return (
      <EmptyState title="There is one version">
        <p>Change the definition and save it as version {(versions[0] ?? 0) + 1}: then both can be compared here.</p>
      </EmptyState>
    );
  }
  const one = left ?? versions.at(-2) ?? 0;
  const other = right ?? versions.at(-1) ?? 0;
  return (
    <Comparison
      name={name}
      left={one}
      right={other}
      chooseLeft={
        <VersionSelect
          label="Left"
          versions={versions}
          value={one}
          onChange={(v) => onChoose({ left: v, right: other })}
        />
      }
      chooseRight={
        <VersionSelect
          label="Right"
          versions={versions}
          value={other}
          onChange={(v) => onChoose({ left: one, right: v })}
        />
      }
    />
  );
}

type ComparisonProps = {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly chooseLeft: ReactNode;
  readonly chooseRight: ReactNode;
};

function Comparison({ name, left, right, chooseLeft, chooseRight }: ComparisonProps) {
  const one = useDefinition(name, left);
  const other = useDefinition(name, right);
  const error = one.error ?? other.error;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="grid grid-cols-2 border-b border-line">
        <Side choose={chooseLeft} definition={one.data} />
        <Side choose={chooseRight} definition={other.data} />
      </div>
      {error !== null ? (
        <Problem error={error} />
      ) : one.data === undefined || other.data === undefined ? (
        <Skeleton />
      ) : (
        <div className="min-h-0 flex-1 overflow-auto">
          <Suspense fallback={<Skeleton />}>
            <JsonDiff
              left={{ label: `Version ${left}`, text: toText(one.data) }}
              right={{ label: `Version ${right}`, text: toText(other.data) }}
            />
          </Suspense>
        </div>
      )}
    </div>
  );
}

function Side({ choose, definition }: { readonly choose: ReactNode; readonly definition: FullDefinition | undefined }) {
  const { updateTime = 0, createTime = 0 } = definition ?? {};
  return (
    <div className="flex items-center gap-3 px-3 py-2">
      {choose}
      <span className="text-xs text-faint">
        saved <Time at={updateTime || createTime} />
      </span>
    </div>
  );
}

type SelectProps = {
  readonly label: string;
  readonly versions: readonly number[];
  readonly value: number;
  readonly onChange: (version: number) => void;
};

function VersionSelect({ label, versions, value, onChange }: SelectProps) {
  return (
    <Select
      aria-label={`${label} version`}
      className="!w-36"
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {versions.toReversed().map((version) => (
        <option key={version} value={version}>
          Version {version}
        </option>
      ))}
    </Select>
  );
}
