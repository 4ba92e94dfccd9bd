import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { useAgents } from "../../api/agents.ts";
import { definitionsKey } from "../../api/definitions.ts";
import { useFreshOnKinds } from "../../api/metadata-changes.ts";
import { skillsKey, useSkillVersions } from "../../api/skills.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import { AgentsOff } from "../agents/agents-off.tsx";
import { NoSkills, NoSkillsNoRegistry, RegistryOff } from "./no-skills.tsx";
import { RegisterDialog } from "./register-dialog.tsx";
import { skillColumns } from "./skill-columns.tsx";
import { type SkillRow, toSkillRows } from "./skill-rows.ts";

const route = getRouteApi("/skills");
const shownKinds = { skill: skillsKey, workflowDef: definitionsKey };

/** Skills that are registered, and those that are deployed as agents. */
export function SkillsPage() {
  const agents = useAgents();
  const registry = useSkillVersions();
  const live = useFreshOnKinds(shownKinds);
  const [isRegistering, setRegistering] = useState(false);
  const hasRegistry = registry.data !== undefined;
  const isOff = isSwitchedOff(registry.error);
  const rows = useMemo(
    () => (agents.data && (hasRegistry || isOff) ? toSkillRows(registry.data ?? [], agents.data) : undefined),
    [agents.data, registry.data, hasRegistry, isOff],
  );
  const error = agents.error ?? (isOff ? null : registry.error);
  const retry = () => {
    void agents.refetch();
    void registry.refetch();
  };
  return (
    <>
      <PageHeader
        title="Skills"
        note={rows && formatCount(rows.length)}
        actions={
          <>
            {rows !== undefined && <LiveMark state={live} />}
            {hasRegistry && (
              <>
                <CopyAs request={{ method: "GET", path: "/skills", query: { allVersions: true } }} />
                <Button look="primary" onClick={() => setRegistering(true)}>
                  <Upload /> Register a skill
                </Button>
              </>
            )}
          </>
        }
      />
      {isSwitchedOff(agents.error) ? (
        <AgentsOff />
      ) : rows === undefined ? (
        error === null ? (
          <Skeleton />
        ) : (
          <Problem error={error} onRetry={retry} />
        )
      ) : rows.length > 0 ? (
        <>
          {isOff && <RegistryOff />}
          <SkillList rows={rows} />
        </>
      ) : (
        <div className="min-h-0 flex-1 overflow-auto">
          {isOff ? <NoSkillsNoRegistry /> : <NoSkills onRegister={() => setRegistering(true)} />}
        </div>
      )}
      {isRegistering && <RegisterDialog onClose={() => setRegistering(false)} />}
    </>
  );
}

function SkillList({ rows }: { readonly rows: readonly SkillRow[] }) {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/skills" });
  const shown = useMemo(
    () => rows.filter(({ name, description }) => hasWords(text, [name, description])),
    [rows, text],
  );
  const open = ({ name, latest }: SkillRow) =>
    void (latest === undefined
      ? navigate({ to: "/agents/$name", params: { name }, search: { tab: "skill" } })
      : navigate({ to: "/skills/$name", params: { name }, search: {} }));
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="border-b border-line px-3 py-2">
        <SearchBox
          label="Find a skill"
          value={text}
          onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
        />
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No skill has these words" />
      ) : (
        <VirtualGrid label="Skills" columns={skillColumns} rows={shown} keyOf={({ name }) => name} onOpen={open} />
      )}
    </div>
  );
}
