import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { useAgent, useAgentWorkflow } from "../../api/agents.ts";
import { path } from "../../api/client.ts";
import { definitionsKey, useVersions } from "../../api/definitions.ts";
import type { JsonObject } from "../../api/types.ts";
import { useOfferCommands } from "../../app/commands.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { Select } from "../../components/field.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { VersionsTab, type VersionText } from "../../components/versions-tab.tsx";
import { AgentsOff } from "../agents/agents-off.tsx";
import { RunTab } from "./run-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import type { AgentSearch, TabName } from "./search.ts";
import { SkillTab } from "./skill-tab.tsx";

// The editor and the picture bring their own libraries: a chunk of their own.
const AgentEditor = lazy(async () => ({ default: (await import("./agent-editor.tsx")).AgentEditor }));

const route = getRouteApi("/agents/$name");

/** One agent: its text and picture, its versions, running it, its runs. */
export function AgentPage() {
  const { name } = route.useParams();
  const { version } = route.useSearch();
  const agent = useAgent(name, version);
  const workflow = useAgentWorkflow(name, version);
  const error = agent.error ?? workflow.error;
  if (isSwitchedOff(error) && !/^(Agent|Definition|No agent definition) /.test(error?.message ?? ""))
    return <AgentsOff />;
  if (error !== null) return <Problem error={error} onRetry={() => void agent.refetch()} />;
  if (agent.data === undefined || workflow.data === undefined) return <Skeleton rows={10} />;
  const { metadata = {}, version: current, description } = workflow.data;
  return (
    <Agent
      key={`${name} ${current}`}
      name={name}
      version={current}
      description={description}
      config={agent.data}
      metadata={metadata}
    />
  );
}

type AgentProps = {
  readonly name: string;
  readonly version: number;
  readonly description: string | undefined;
  readonly config: JsonObject;
  readonly metadata: JsonObject;
};

function Agent({ name, version, description, config, metadata }: AgentProps) {
  const { tab = "edit", left, right } = route.useSearch();
  const navigate = useNavigate({ from: "/agents/$name" });
  const saved = useMemo(() => JSON.stringify(config, null, 2), [config]);
  const framework = typeof metadata["agent_sdk"] === "string" ? metadata["agent_sdk"] : "";
  const isNative = framework === "" || framework === "conductor" || framework === "native";
  const versions = useVersions(name);
  const latest = Math.max(...versions, version);
  const go = (search: AgentSearch) => void navigate({ search, replace: true });
  const pinned = version === latest ? {} : { version };
  useOfferCommands(
    [{ id: `run-${name}`, label: `Run ${name}`, run: () => go({ ...pinned, tab: "run" }) }],
    `${name} ${version}`,
  );
  const views: Record<TabName, () => ReactNode> = {
    edit: () => (
      <AgentEditor
        draftKey={`agent.${name}.${version}`}
        saved={saved}
        isNew={false}
        framework={isNative ? "" : framework}
        onSaved={(as) => void navigate({ to: "/agents/$name", params: { name: as }, search: {} })}
      />
    ),
    skill: () => <SkillTab config={config} />,
    versions: () => (
      <VersionsTab
        name={name}
        versions={versions}
        useVersionText={useAgentText}
        left={left}
        right={right}
        onChoose={(sides) => go({ ...pinned, tab: "versions", ...sides })}
      />
    ),
    run: () => <RunTab name={name} version={version} model={modelOf(metadata["normalizedAgentDef"] ?? config)} />,
    runs: () => <RunsTab name={name} />,
  };
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-2">
            <Link to="/agents" search={{}} className="font-normal text-faint hover:underline">
              Agents
            </Link>
            <span className="font-normal text-faint">/</span> {name}
          </span>
        }
        note={isNative ? description : `${description ?? ""} · written for ${framework.replaceAll("_", " ")}`}
        actions={
          <>
            <Select
              aria-label="Version"
              className="!h-7 !w-40"
              value={version}
              onChange={(event) => {
                const chosen = Number(event.target.value);
                go({ ...(tab === "edit" ? {} : { tab }), ...(chosen === latest ? {} : { version: chosen }) });
              }}
            >
              {(versions.length === 0 ? [version] : versions).toReversed().map((one) => (
                <option key={one} value={one}>
                  Version {one}
                  {one === latest ? ", latest" : ""}
                </option>
              ))}
            </Select>
            <CopyAs request={{ method: "GET", path: path`/agent/${name}`, query: { version } }} />
            <Link
              to="/definitions/$name"
              params={{ name }}
              search={pinned}
              className="rounded-md px-2 py-1 text-xs font-medium text-soft hover:bg-hover hover:text-ink"
            >
              As a workflow
            </Link>
            <RemoveVersion name={name} version={version} isOnly={versions.length <= 1} />
            <Button look="primary" onClick={() => go({ ...pinned, tab: "run" })}>
              <Play /> Run
            </Button>
          </>
        }
      />
      <Tabs
        label="Views"
        className="flex-1 bg-surface"
        value={tab}
        onChange={(chosen) => go({ ...pinned, ...(chosen === "edit" ? {} : { tab: chosen }) })}
        tabs={[
          { name: "edit", label: "Agent" },
          ...(framework === "skill" ? ([{ name: "skill", label: "Skill" }] as const) : []),
          { name: "versions", label: "Versions" },
          { name: "run", label: "Run" },
          { name: "runs", label: "Runs" },
        ]}
      >
        <ErrorBoundary resetKey={tab}>
          <Suspense fallback={<Skeleton rows={10} />}>{views[tab]()}</Suspense>
        </ErrorBoundary>
      </Tabs>
    </>
  );
}

function useAgentText(name: string, version: number): VersionText {
  const { data, error } = useAgent(name, version);
  const { data: workflow } = useAgentWorkflow(name, version);
  return {
    text: data && JSON.stringify(data, null, 2),
    savedAt: workflow?.updateTime || workflow?.createTime || 0,
    error,
  };
}

const modelOf = (config: unknown): string =>
  typeof config === "object" && config !== null && "model" in config ? String(config.model) : "";

type RemoveProps = { readonly name: string; readonly version: number; readonly isOnly: boolean };

function RemoveVersion({ name, version, isOnly }: RemoveProps) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      version={version}
      request={{ method: "DELETE", path: path`/agent/${name}`, query: { version } }}
      lines={[
        "Runs of it are kept and go on: each has its own copy.",
        isOnly
          ? "It is the only version: what starts this agent by its name will fail."
          : "What starts this version by its number will fail.",
      ]}
      queryKey={definitionsKey}
      leave={() =>
        isOnly
          ? navigate({ to: "/agents", search: {} })
          : navigate({ to: "/agents/$name", params: { name }, search: {} })
      }
    />
  );
}
