import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, Rocket } from "lucide-react";
import { useMemo, useState } from "react";
import { path } from "../../api/client.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import type { StreamState } from "../../api/server-events.ts";
import {
  findVersion,
  newestFirst,
  packageOf,
  type SkillSummary,
  skillsKey,
  useSkill,
  useSkillVersions,
} from "../../api/skills.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { Select } from "../../components/field.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff, SwitchedOff } from "../../components/switched-off.tsx";
import { DeployDialog } from "./deploy-dialog.tsx";
import { FileView } from "./file-view.tsx";
import { RemoveVersion } from "./remove-version.tsx";
import type { SkillSearch } from "./search.ts";
import { SkillFacts } from "./skill-facts.tsx";

const route = getRouteApi("/skills/$name");

/** A registered skill: what is known of a version, and its files. */
export function SkillPage() {
  const { name } = route.useParams();
  const { version } = route.useSearch();
  const { data, error, refetch } = useSkillVersions();
  const live = useFreshOnMetadata("skill", skillsKey);
  const versions = useMemo(() => newestFirst(data?.filter((one) => one.name === name) ?? []), [data, name]);
  if (isSwitchedOff(error)) return <SwitchedOff what="The registry of skills is" setting="service.skills.enabled" />;
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  const summary = findVersion(versions, version);
  if (summary === undefined) return <NoSuchSkill name={name} version={version} />;
  return <Skill key={`${name} ${summary.version}`} summary={summary} versions={versions} live={live} />;
}

type NoSuchProps = { readonly name: string; readonly version: string | undefined };

const NoSuchSkill = ({ name, version }: NoSuchProps) => (
  <EmptyState title={`No skill ${name}${version === undefined ? "" : ` in version ${version}`} is registered`}>
    <p>
      Perhaps somebody has deleted it. See{" "}
      <Link to="/skills" search={{}} className="text-accent-ink hover:underline">
        all skills
      </Link>
      .
    </p>
  </EmptyState>
);

type Props = {
  readonly summary: SkillSummary;
  /** The latest first. */
  readonly versions: readonly SkillSummary[];
  readonly live: StreamState;
};

function Skill({ summary, versions, live }: Props) {
  const { name, version, description } = summary;
  const { file = "SKILL.md" } = route.useSearch();
  const navigate = useNavigate({ from: "/skills/$name" });
  const { data: skill, error, refetch } = useSkill(summary);
  const [isDeploying, setDeploying] = useState(false);
  const latest = versions[0]?.version;
  const pinned = version === latest ? {} : { version };
  const go = (search: SkillSearch) => void navigate({ search, replace: true });
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-2">
            <Link to="/skills" search={{}} className="font-normal text-faint hover:underline">
              Skills
            </Link>
            <span className="font-normal text-faint">/</span> {name}
          </span>
        }
        note={description}
        actions={
          <>
            <LiveMark state={live} />
            <Select
              aria-label="Version"
              className="!h-7 !w-48"
              value={version}
              onChange={({ target }) => go(target.value === latest ? {} : { version: target.value })}
            >
              {versions.map((one) => (
                <option key={one.version} value={one.version}>
                  Version {one.version}
                  {one.version === latest ? ", latest" : ""}
                </option>
              ))}
            </Select>
            <CopyAs request={{ method: "GET", path: path`/skills/${name}/versions/${version}` }} />
            <a
              href={packageOf(name, version)}
              download={`${name}-${version}.zip`}
              aria-label="Download the package"
              title="Download the package"
              className="inline-flex size-7 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink [&_svg]:size-4"
            >
              <Download />
            </a>
            <RemoveVersion name={name} version={version} isOnly={versions.length <= 1} />
            <Button look="primary" onClick={() => setDeploying(true)}>
              <Rocket /> Deploy
            </Button>
          </>
        }
      />
      {error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : skill === undefined ? (
        <Skeleton rows={10} />
      ) : (
        <div className="flex min-h-0 flex-1 bg-sunken">
          <ErrorBoundary>
            <SkillFacts skill={skill} chosen={file} onChoose={(chosen) => go({ ...pinned, file: chosen })} />
          </ErrorBoundary>
          <ErrorBoundary resetKey={file}>
            <FileView skill={skill} path={file} />
          </ErrorBoundary>
        </div>
      )}
      {isDeploying && skill !== undefined && (
        <DeployDialog
          name={name}
          version={version}
          model={typeof skill.rawConfig["model"] === "string" ? skill.rawConfig["model"] : ""}
          onClose={() => setDeploying(false)}
        />
      )}
    </>
  );
}
