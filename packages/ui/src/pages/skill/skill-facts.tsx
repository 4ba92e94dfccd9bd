import { Link } from "@tanstack/react-router";
import { Bot, FileText, ScrollText, SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import { useAgents } from "../../api/agents.ts";
import type { SkillDetail } from "../../api/skills.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import { IdText } from "../../components/id-text.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { formatSize } from "../../lib/format.ts";

type Props = {
  readonly skill: SkillDetail;
  /** The path of the file that is shown. */
  readonly chosen: string;
  readonly onChoose: (path: string) => void;
};

/** What is known of a version, and which files it has. */
export function SkillFacts({ skill, chosen, onChoose }: Props) {
  const { files, rawConfig, version, checksum, createdAt, packageSize } = skill;
  const params = membersOf(rawConfig["defaultParams"]);
  const others = Object.entries(membersOf(rawConfig["crossSkillRefsPinned"]));
  const { model } = rawConfig;
  return (
    <aside className="flex w-96 shrink-0 flex-col gap-4 overflow-auto border-r border-line p-4">
      <Panel title="About">
        <dl className="grid grid-cols-[7rem_1fr] items-center gap-x-2 gap-y-1.5 p-3 text-sm [&_dt]:text-soft">
          <Fact label="Version">
            <span className="mono break-all">{version}</span>
          </Fact>
          <Fact label="Registered">
            <Time at={createdAt} />
          </Fact>
          <Fact label="Package">{formatSize(packageSize)}</Fact>
          <Fact label="Checksum">
            <IdText id={checksum} label="Copy checksum" />
          </Fact>
          <Fact label="Model">
            {typeof model === "string" ? <span className="mono">{model}</span> : "chosen when it is deployed"}
          </Fact>
          <Fact label="Used by">
            <UsedBy name={skill.name} />
          </Fact>
          {others.length > 0 && (
            <Fact label="Calls">
              {others.map(([name, pinned]) => (
                <Link
                  key={name}
                  to="/skills/$name"
                  params={{ name }}
                  search={{ version: String(pinned) }}
                  className="block truncate text-accent-ink hover:underline"
                >
                  {name}, version {String(pinned)}
                </Link>
              ))}
            </Fact>
          )}
        </dl>
      </Panel>
      <Panel title="Files" note={String(files.length)}>
        <ul className="flex flex-col p-1 text-sm">
          {files.map(({ path, size }) => (
            <li key={path}>
              <button
                type="button"
                aria-current={path === chosen}
                onClick={() => onChoose(path)}
                className="flex w-full items-center gap-2 rounded px-2 py-1 text-left hover:bg-hover aria-[current=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint"
              >
                {iconOf(path)}
                <span className="mono min-w-0 truncate" title={path}>
                  {path}
                </span>
                <span className="ml-auto shrink-0 text-xs text-faint tabular-nums">{formatSize(size)}</span>
              </button>
            </li>
          ))}
        </ul>
      </Panel>
      {Object.keys(params).length > 0 && (
        <Panel title="Parameters">
          <JsonView value={params} label="parameters" />
        </Panel>
      )}
    </aside>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** A deployed skill is an agent of its name. */
function UsedBy({ name }: { readonly name: string }) {
  const { data } = useAgents();
  const agent = data?.find((one) => one.name === name && one.type === "skill");
  if (data === undefined) return null;
  if (agent === undefined) return <span className="text-faint">no deployed agent</span>;
  return (
    <Link to="/agents/$name" params={{ name }} search={{ tab: "skill" }} className="text-accent-ink hover:underline">
      agent {name}, version {agent.version}
    </Link>
  );
}

function iconOf(path: string): ReactNode {
  if (path === "SKILL.md") return <ScrollText />;
  if (path.startsWith("scripts/")) return <SquareTerminal />;
  return /^[^/]+-agent\.md$/.test(path) ? <Bot /> : <FileText />;
}

const membersOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
