import { Paperclip } from "lucide-react";
import { useFilesOf } from "../../api/files.ts";
import type { TaskState } from "../../api/types.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { formatCount } from "../../lib/format.ts";
import { FilesOff } from "../files/files-off.tsx";
import { FilesTable } from "../files/files-table.tsx";

type Props = { readonly workflowId: string; readonly tasks: readonly TaskState[] };

/** What this execution's workers uploaded. They do so while they work: it is looked at again when a task changes. */
export function FilesTab({ workflowId, tasks }: Props) {
  const changedAt = Math.max(0, ...tasks.map(({ updateTime }) => updateTime));
  const { data, error } = useFilesOf(workflowId, changedAt);
  if (isSwitchedOff(error)) return <FilesOff />;
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.totalHits === 0) {
    return (
      <EmptyState icon={<Paperclip />} title="No files">
        <p>Files that workers upload for this execution are here. Those of its sub-workflows are with them.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {data.totalHits > data.results.length && (
        <p className="border-b border-line px-3 py-1.5 text-xs text-faint">
          {formatCount(data.results.length)} of {formatCount(data.totalHits)} files
        </p>
      )}
      <FilesTable files={data.results} />
    </>
  );
}
