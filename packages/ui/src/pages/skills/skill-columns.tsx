import { Link } from "@tanstack/react-router";
import { Ago } from "../../components/time.tsx";
import type { GridColumn } from "../../components/virtual-grid.tsx";
import type { SkillRow } from "./skill-rows.ts";

const nothing = <span className="text-faint">–</span>;
const look = "truncate font-medium hover:underline";

export const skillColumns: readonly GridColumn<SkillRow>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(12rem, 1.4fr)",
    show: ({ name, latest }) =>
      latest === undefined ? (
        <Link to="/agents/$name" params={{ name }} search={{ tab: "skill" }} className={look} title={name}>
          {name}
        </Link>
      ) : (
        <Link to="/skills/$name" params={{ name }} search={{}} className={look} title={name}>
          {name}
        </Link>
      ),
  },
  {
    name: "description",
    label: "Description",
    width: "minmax(16rem, 3fr)",
    show: ({ description }) => (
      <span className="truncate text-soft" title={description}>
        {description}
      </span>
    ),
  },
  {
    name: "latest",
    label: "Latest",
    width: "8rem",
    show: ({ latest }) =>
      latest === undefined ? (
        nothing
      ) : (
        <span className="mono truncate" title={latest.version}>
          {latest.version}
        </span>
      ),
  },
  {
    name: "versions",
    label: "Versions",
    width: "5rem",
    show: ({ versions }) => (versions === 0 ? nothing : <span className="tabular-nums">{versions}</span>),
  },
  {
    name: "files",
    label: "Files",
    width: "4rem",
    show: ({ latest }) => (latest === undefined ? nothing : <span className="tabular-nums">{latest.fileCount}</span>),
  },
  {
    name: "registered",
    label: "Registered",
    width: "8rem",
    show: ({ latest }) => (latest === undefined ? nothing : <Ago at={latest.createdAt} />),
  },
  {
    name: "agent",
    label: "Deployed as",
    width: "9rem",
    show: ({ name, agent }) =>
      agent === undefined ? (
        nothing
      ) : (
        <Link
          to="/agents/$name"
          params={{ name }}
          search={{ tab: "skill" }}
          className="truncate text-accent-ink hover:underline"
        >
          agent, version {agent.version}
        </Link>
      ),
  },
];
