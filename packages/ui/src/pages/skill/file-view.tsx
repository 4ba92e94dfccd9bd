import { type SkillDetail, useSkillFile } from "../../api/skills.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatSize } from "../../lib/format.ts";

/** A file of a package, to look at: text as it is, pictures as pictures. */
export function FileView({ skill, path }: { readonly skill: SkillDetail; readonly path: string }) {
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-auto p-4">
      <Panel title={path} note={noteOf(path)} resetKey={path}>
        <Content skill={skill} path={path} />
      </Panel>
    </div>
  );
}

function Content({ skill, path }: { readonly skill: SkillDetail; readonly path: string }) {
  const { data, error } = useSkillFile(skill, path);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  const { content, contentBase64 = "", contentType, size } = data;
  if (content === "") return <p className="px-3 py-2 text-sm text-faint">Empty</p>;
  if (content !== undefined) return <CodeBlock text={content} className="m-3 [&_pre]:whitespace-pre-wrap" />;
  if (contentType.startsWith("image/")) {
    return <img src={`data:${contentType};base64,${contentBase64}`} alt={path} className="m-3 max-w-full self-start" />;
  }
  return (
    <EmptyState title="No text">
      <p>
        {formatSize(size)} of {contentType}. It is in the package, which can be downloaded.
      </p>
    </EmptyState>
  );
}

function noteOf(path: string): string {
  if (path === "SKILL.md") return "What the model is told";
  if (/^[^/]+-agent\.md$/.test(path)) return "An agent of its own, called as a tool";
  return path.startsWith("scripts/") ? "A script, run by a worker" : "Read when it is needed";
}
