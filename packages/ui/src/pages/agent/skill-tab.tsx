import { FileText, ScrollText, SquareTerminal } from "lucide-react";
import type { Json, JsonObject } from "../../api/types.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Panel } from "../../components/panel.tsx";

/** An agent that is a skill: its text, the agents and scripts in its package, the files it may read. */
export function SkillTab({ config }: { readonly config: JsonObject }) {
  const agentFiles = Object.entries(membersOf(config["agentFiles"]));
  const scripts = Object.entries(membersOf(config["scripts"]));
  const files = listOf(config["resourceFiles"]);
  const params = { ...membersOf(config["defaultParams"]), ...membersOf(config["params"]) };
  const others = Object.keys(membersOf(config["crossSkillRefs"]));
  return (
    <div className="min-h-0 flex-1 overflow-auto bg-sunken p-5">
      <div className="mx-auto flex max-w-4xl flex-col gap-4">
        <Panel title="SKILL.md" note="What the model is told">
          <CodeBlock text={textOf(config["skillMd"])} className="m-3 [&_pre]:whitespace-pre-wrap" />
        </Panel>
        {agentFiles.map(([name, text]) => (
          <Panel key={name} title={`${name}-agent.md`} note="An agent of its own, called as a tool">
            <CodeBlock text={textOf(text)} className="m-3 [&_pre]:whitespace-pre-wrap" />
          </Panel>
        ))}
        {(scripts.length > 0 || files.length > 0 || others.length > 0) && (
          <Panel title="In its package">
            <ul className="flex flex-col gap-1.5 p-3 text-sm [&_li]:flex [&_li]:items-center [&_li]:gap-2 [&_svg]:size-4 [&_svg]:text-faint">
              {scripts.map(([name, script]) => (
                <li key={name}>
                  <SquareTerminal /> <span className="mono">{textOf(membersOf(script)["filename"]) || name}</span>
                  <span className="text-faint">a script, run by a worker</span>
                </li>
              ))}
              {files.map((file) => (
                <li key={file}>
                  <FileText /> <span className="mono">{file}</span>
                  <span className="text-faint">read when it is needed</span>
                </li>
              ))}
              {others.map((name) => (
                <li key={name}>
                  <ScrollText /> <span className="mono">{name}</span>
                  <span className="text-faint">another skill, called as a tool</span>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {Object.keys(params).length > 0 && (
          <Panel title="Parameters">
            <JsonView value={params} label="parameters" />
          </Panel>
        )}
      </div>
    </div>
  );
}

const membersOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
