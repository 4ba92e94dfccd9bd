import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { type FileMetadata, fileIdOf, findDownload } from "../../api/files.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toasts.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { formatSize } from "../../lib/format.ts";

type Props = { readonly files: readonly FileMetadata[]; readonly hasOwner?: boolean };

/** Files, and a way to get each. */
export function FilesTable({ files, hasOwner = false }: Props) {
  return (
    <VirtualGrid
      label="Files"
      columns={hasOwner ? [...columns, owner, download] : [...columns, download]}
      rows={files}
      keyOf={({ fileHandleId }) => fileHandleId}
    />
  );
}

const columns: readonly GridColumn<FileMetadata>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(12rem, 2fr)",
    show: (file) => (
      <span className="truncate font-medium" title={file.fileHandleId}>
        {file.fileName ?? fileIdOf(file)}
      </span>
    ),
  },
  {
    name: "type",
    label: "Type",
    width: "minmax(8rem, 1fr)",
    show: ({ contentType }) => <span className="mono truncate text-soft">{contentType}</span>,
  },
  {
    name: "size",
    label: "Size",
    width: "6rem",
    show: ({ fileSize, uploadStatus }) => (uploadStatus === "UPLOADED" ? formatSize(fileSize) : "–"),
  },
  { name: "status", label: "Status", width: "8rem", show: ({ uploadStatus }) => <StatusBadge status={uploadStatus} /> },
  { name: "created", label: "Created", width: "11rem", show: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: "handle",
    label: "Handle",
    width: "minmax(10rem, 1.4fr)",
    show: ({ fileHandleId }) => (
      <span className="flex min-w-0 items-center gap-0.5">
        <span className="mono truncate text-soft" title={fileHandleId}>
          {fileHandleId}
        </span>
        <CopyButton text={() => fileHandleId} label="Copy handle" className="!size-5 [&_svg]:!size-3" />
      </span>
    ),
  },
];

const owner: GridColumn<FileMetadata> = {
  name: "owner",
  label: "Execution",
  width: "minmax(10rem, 1.2fr)",
  show: ({ workflowId }) => (
    <Link
      to="/executions/$id"
      params={{ id: workflowId }}
      search={{ tab: "files" }}
      className="mono truncate text-accent-ink hover:underline"
      title={workflowId}
    >
      {workflowId}
    </Link>
  ),
};

const download: GridColumn<FileMetadata> = {
  name: "download",
  label: <span className="sr-only">Download</span>,
  width: "7rem",
  show: (file) => (
    <Button
      isSmall
      aria-label={`Download ${file.fileName ?? fileIdOf(file)}`}
      disabled={file.uploadStatus !== "UPLOADED"}
      onClick={() => void save(file)}
    >
      <Download /> Download
    </Button>
  ),
};

/** The URL is asked for when it is needed: it does not last. */
async function save(file: FileMetadata): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = await findDownload(file);
    link.download = file.fileName ?? fileIdOf(file);
    link.click();
  } catch (error) {
    showToast("bad", error instanceof Error ? error.message : String(error));
  }
}
