import { lazy, type ReactNode, Suspense } from "react";
import { EmptyState } from "./empty-state.tsx";
import { Problem } from "./error-boundary.tsx";
import { Select } from "./field.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Time } from "./time.tsx";

const JsonDiff = lazy(async () => ({ default: (await import("./json-diff.tsx")).JsonDiff }));

/** One version, as far as it was read. */
export type VersionText = {
  readonly text: string | undefined;
  readonly savedAt: number;
  readonly error: Error | null;
};

type UseVersionText = (name: string, version: number) => VersionText;

type Props = {
  readonly name: string;
  /** Ascending. */
  readonly versions: readonly number[];
  readonly useVersionText: UseVersionText;
  /** The two that are compared; the last two when left out. */
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly onChoose: (sides: { readonly left: number; readonly right: number }) => void;
};

/** Any two versions of a definition or an agent, side by side. */
export function VersionsTab({ name, versions, useVersionText, left, right, onChoose }: Props) {
  if (versions.length === 0) return <Skeleton />;
  if (versions.length === 1) {
    return (
      <EmptyState title="There is one version">
        <p>Change it and save it as version {(versions[0] ?? 0) + 1}: then both can be compared here.</p>
      </EmptyState>
    );
  }
  const one = left ?? versions.at(-2) ?? 0;
  const other = right ?? versions.at(-1) ?? 0;
  return (
    <Comparison
      name={name}
      useVersionText={useVersionText}
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
  readonly useVersionText: UseVersionText;
  readonly left: number;
  readonly right: number;
  readonly chooseLeft: ReactNode;
  readonly chooseRight: ReactNode;
};

function Comparison({ name, useVersionText, left, right, chooseLeft, chooseRight }: ComparisonProps) {
  const one = useVersionText(name, left);
  const other = useVersionText(name, right);
  const error = one.error ?? other.error;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="grid grid-cols-2 border-b border-line">
        <Side choose={chooseLeft} savedAt={one.savedAt} />
        <Side choose={chooseRight} savedAt={other.savedAt} />
      </div>
      {error !== null ? (
        <Problem error={error} />
      ) : one.text === undefined || other.text === undefined ? (
        <Skeleton />
      ) : (
        <div className="min-h-0 flex-1 overflow-auto">
          <Suspense fallback={<Skeleton />}>
            <JsonDiff
              left={{ label: `Version ${left}`, text: one.text }}
              right={{ label: `Version ${right}`, text: other.text }}
            />
          </Suspense>
        </div>
      )}
    </div>
  );
}

function Side({ choose, savedAt }: { readonly choose: ReactNode; readonly savedAt: number }) {
  return (
    <div className="flex items-center gap-3 px-3 py-2">
      {choose}
      <span className="text-xs text-faint">
        saved <Time at={savedAt} />
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
