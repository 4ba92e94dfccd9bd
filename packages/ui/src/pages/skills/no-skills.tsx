import { ScrollText, Upload } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SwitchedOff } from "../../components/switched-off.tsx";

const exampleMd = "---\nname: haiku\ndescription: Writes haiku\n---\nWrite one haiku about what you are given.";

/** There is nothing, and the registry is there to be filled. */
export function NoSkills({ onRegister }: { readonly onRegister: () => void }) {
  return (
    <EmptyState
      icon={<ScrollText />}
      title="No skills yet"
      command={`cat > SKILL.md <<'END'\n${exampleMd}\nEND\nzip skill.zip SKILL.md\ncurl -F 'manifest={"version":"1.0","model":"openai/gpt-4o-mini"}' -F package=@skill.zip \\\n  '${location.origin}/api/skills/register'`}
    >
      <p>{WHAT_IT_IS} Registered, it is kept here in every version, and agents are made of it:</p>
      <Button look="primary" className="mt-4" onClick={onRegister}>
        <Upload /> Register a skill
      </Button>
    </EmptyState>
  );
}

/** There is nothing, and no registry: a skill can be deployed as it is. */
export function NoSkillsNoRegistry() {
  const body = { framework: "skill", rawConfig: { model: "openai/gpt-4o-mini", skillMd: exampleMd } };
  return (
    <>
      <EmptyState
        icon={<ScrollText />}
        title="No skills yet"
        command={`curl -X POST '${location.origin}/api/agent/deploy' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`}
      >
        <p>{WHAT_IT_IS} Deployed, it is an agent like any other:</p>
      </EmptyState>
      <SwitchedOff what="The registry of skills is" setting="service.skills.enabled">
        <p>It keeps packages in every version, with their scripts and files.</p>
      </SwitchedOff>
    </>
  );
}

const WHAT_IT_IS = "A skill is instructions in a file SKILL.md, with the scripts and files that go with them.";

/** Above the skills there are, where there is no registry. */
export const RegistryOff = () => (
  <p className="border-b border-line bg-sunken px-4 py-2 text-sm text-soft">
    The registry of skills is switched off in this server: these are deployed as agents. Start it with{" "}
    <span className="mono text-ink">--service.skills.enabled=true</span> to keep packages here.
  </p>
);
