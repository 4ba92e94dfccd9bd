import { Paperclip, UserRound } from "lucide-react";
import type { Execution, JsonObject } from "../../api/types.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Card, Remark, Said } from "./card.tsx";

/** What the agent was told to do. */
export function PromptCard({ execution }: { readonly execution: Execution }) {
  const { prompt, session_id: session, media, context } = execution.input;
  const files = Array.isArray(media) ? media.map(String) : [];
  return (
    <Card
      icon={UserRound}
      title="Prompt"
      {...(typeof session === "string" && session !== "" ? { note: `session ${session}` } : {})}
      at={execution.createTime || execution.startTime}
    >
      {typeof prompt === "string" && prompt !== "" ? <Said text={prompt} /> : <Said text="No prompt was given." />}
      {files.map((file) => (
        <div key={file} className="pb-2">
          <Remark icon={Paperclip} title={file} />
        </div>
      ))}
      {isFilled(context) && (
        <div className="border-t border-line">
          <JsonView value={context} label="context" />
        </div>
      )}
    </Card>
  );
}

const isFilled = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;
