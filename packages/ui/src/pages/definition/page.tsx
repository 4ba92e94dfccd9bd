import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { path } from "../../api/client.ts";
import { definitionsKey, type FullDefinition, useDefinition, useVersions } from "../../api/definitions.ts";
import { useOfferCommands } from "../../app/commands.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { Select } from "../../components/field.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { VersionsTab, type VersionText } from "../../components/versions-tab.tsx";
import { useDraft } from "../../editing/draft.ts";
import { RunTab } from "./run-tab.tsx";
import type { DefinitionSearch, TabName } from "./search.ts";
import { toText } from "./tidy.ts";
import { UsageTab } from "./usage-tab.tsx";

// The editor and the diagram bring their own libraries: chunks of their own.
const EditTab = lazy(async () => ({ default: (await import("./edit-tab.tsx")).EditTab }));
const TestTab = lazy(async () => ({ default: (await import("./test-tab.tsx")).TestTab }));

const route = getRouteApi("/definitions/$name");

/** One workflow definition: its text and picture, its versions, running and testing it, who starts it. */
export function DefinitionPage() {
  const { name } = route.useParams();
  const { version } = route.useSearch();
  const { data, error, refetch } = useDefinition(name, version);
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  return <Definition key={`${data.name} ${data.version}`} definition={data} />;
}

function Definition({ definition }: { readonly definition: FullDefinition }) {
  const { name, version } = definition;
  const { tab = "edit", left, right } = route.useSearch();
  const navigate = useNavigate({ from: "/definitions/$name" });
  const saved = useMemo(() => toText(definition), [definition]);
  const draftKey = `definition.${name}.${version}`;
  const { text, isChanged } = useDraft(draftKey, saved);
  const versions = useVersions(name);
  const go = (search: DefinitionSearch) => void navigate({ search, replace: true });
  const pinned = useIsLatest(name, version) ? {} : { version };
  useOfferCommands(
    [{ id: `run-${name}`, label: `Run ${name}`, run: () => go({ ...pinned, tab: "run" }) }],
    `${name} ${version}`,
  );
  const views: Record<TabName, () => ReactNode> = {
    edit: () => (
      <EditTab
        draftKey={draftKey}
        saved={saved}
        isNew={false}
        onSaved={(as, storedVersion) =>
          void navigate({
            to: "/definitions/$name",
            params: { name: as },
            search: storedVersion >= version ? {} : { version: storedVersion },
          })
        }
      />
    ),
    versions: () => (
      <VersionsTab
        name={name}
        versions={versions}
        useVersionText={useDefinitionText}
        left={left}
        right={right}
        onChoose={(sides) => go({ ...pinned, tab: "versions", ...sides })}
      />
    ),
    run: () => <RunTab definition={definition} />,
    test: () => <TestTab definition={readDraft(text) ?? definition} isDraft={isChanged} />,
    usage: () => <UsageTab name={name} />,
  };
  return (
    <>
      <Header
        definition={definition}
        onVersion={(chosen) => go({ ...(tab === "edit" ? {} : { tab }), ...chosen })}
        onRun={() => go({ ...pinned, tab: "run" })}
      />
      <Tabs
        label="Views"
        className="flex-1 bg-surface"
        value={tab}
        onChange={(chosen) => go({ ...pinned, ...(chosen === "edit" ? {} : { tab: chosen }) })}
        tabs={[
          { name: "edit", label: isChanged ? "Definition, not saved" : "Definition" },
          { name: "versions", label: "Versions" },
          { name: "run", label: "Run" },
          { name: "test", label: "Test" },
          { name: "usage", label: "Used by" },
        ]}
      >
        <ErrorBoundary resetKey={tab}>
          <Suspense fallback={<Skeleton rows={10} />}>{views[tab]()}</Suspense>
        </ErrorBoundary>
      </Tabs>
    </>
  );
}

function useDefinitionText(name: string, version: number): VersionText {
  const { data, error } = useDefinition(name, version);
  return { text: data && toText(data), savedAt: data?.updateTime || data?.createTime || 0, error };
}

function useIsLatest(name: string, version: number): boolean {
  const versions = useVersions(name);
  return versions.length === 0 || version === Math.max(...versions);
}

function readDraft(text: string): FullDefinition | undefined {
  try {
    const draft: unknown = JSON.parse(text);
    const isWhole = typeof draft === "object" && draft !== null && "tasks" in draft && Array.isArray(draft.tasks);
    return isWhole ? (draft as FullDefinition) : undefined;
  } catch {
    // Half typed: what is saved is tested.
    return undefined;
  }
}

type HeaderProps = {
  readonly definition: FullDefinition;
  readonly onVersion: (chosen: { readonly version?: number }) => void;
  readonly onRun: () => void;
};

function Header({ definition: { name, version, description }, onVersion, onRun }: HeaderProps) {
  const versions = useVersions(name);
  const latest = Math.max(...versions, version);
  return (
    <PageHeader
      title={
        <span className="flex items-center gap-2">
          <Link to="/definitions" search={{}} className="font-normal text-faint hover:underline">
            Definitions
          </Link>
          <span className="font-normal text-faint">/</span> {name}
        </span>
      }
      note={description}
      actions={
        <>
          <Select
            aria-label="Version"
            className="!h-7 !w-40"
            value={version}
            onChange={(event) => {
              const chosen = Number(event.target.value);
              onVersion(chosen === latest ? {} : { version: chosen });
            }}
          >
            {versions.toReversed().map((one) => (
              <option key={one} value={one}>
                Version {one}
                {one === latest ? ", latest" : ""}
              </option>
            ))}
          </Select>
          <CopyAs request={{ method: "GET", path: path`/metadata/workflow/${name}`, query: { version } }} />
          <Link
            to="/executions"
            search={{ type: name }}
            className="rounded-md px-2 py-1 text-xs font-medium text-soft hover:bg-hover hover:text-ink"
          >
            Executions
          </Link>
          <RemoveVersion name={name} version={version} isOnly={versions.length <= 1} />
          <Button look="primary" onClick={onRun}>
            <Play /> Run
          </Button>
        </>
      }
    />
  );
}

type RemoveProps = { readonly name: string; readonly version: number; readonly isOnly: boolean };

function RemoveVersion({ name, version, isOnly }: RemoveProps) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      version={version}
      request={{ method: "DELETE", path: path`/metadata/workflow/${name}/${version}` }}
      lines={[
        "Executions of it are kept and go on: each has its own copy.",
        isOnly
          ? "It is the only version: what starts this workflow by its name will fail."
          : "What starts this version by its number will fail.",
      ]}
      queryKey={definitionsKey}
      leave={() =>
        isOnly
          ? navigate({ to: "/definitions", search: {} })
          : navigate({ to: "/definitions/$name", params: { name }, search: {} })
      }
    />
  );
}
