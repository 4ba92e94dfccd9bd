import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Paperclip, Search } from "lucide-react";
import { useState } from "react";
import { useFile, useFilesOf } from "../../api/files.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { FilesOff } from "./files-off.tsx";
import { FilesTable } from "./files-table.tsx";

const route = getRouteApi("/files");

/** Files belong to executions: they are found by one, or by their own handle. */
export function FilesPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/files" });
  const [typed, setTyped] = useState(text);
  return (
    <>
      <PageHeader
        title="Files"
        actions={text !== "" && <CopyAs request={{ method: "GET", path: "/files", query: { workflowId: text } }} />}
      />
      <div className="flex min-h-0 flex-1 flex-col bg-surface">
        <form
          className="flex gap-2 border-b border-line px-3 py-2"
          onSubmit={(event) => {
            event.preventDefault();
            const wanted = typed.trim();
            void navigate({ search: wanted === "" ? {} : { text: wanted }, replace: true });
          }}
        >
          <SearchBox label="An execution's id, or a file's handle" value={typed} onChange={setTyped} />
          <Button type="submit">
            <Search /> Find
          </Button>
        </form>
        {/* Without a text it still asks: a server without files says so at once. */}
        <Found text={text} />
      </div>
    </>
  );
}

const NOBODY = "-";

function Found({ text }: { readonly text: string }) {
  const isHandle = text.includes("://");
  const owned = useFilesOf(isHandle || text === "" ? NOBODY : text);
  const isNobodys = owned.data?.totalHits === 0;
  const single = useFile(text, text !== "" && isNobodys);
  if (isSwitchedOff(owned.error)) return <FilesOff />;
  if (owned.error !== null) return <Problem error={owned.error} />;
  if (owned.data === undefined || single.isLoading) return <Skeleton />;
  if (owned.data.totalHits > 0) return <FilesTable files={owned.data.results} />;
  if (single.data !== undefined) return <FilesTable files={[single.data]} hasOwner />;
  if (text !== "") {
    return (
      <EmptyState title="No such file, and no files of such an execution">
        <p>A file goes with its execution when that is removed.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Paperclip />}
      title="Files belong to executions"
      command={`curl '${location.origin}/api/files' -H 'Content-Type: application/json' \\\n  -d '{"workflowId": "…", "fileName": "invoice.pdf", "contentType": "application/pdf"}'\n# put the bytes to uploadUrl of the answer, then\ncurl -X POST '${location.origin}/api/files/…/upload-complete'`}
    >
      <p>A worker uploads one and passes its handle on. Find them by the execution, or by the handle:</p>
    </EmptyState>
  );
}
