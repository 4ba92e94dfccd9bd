import { useNavigate } from "@tanstack/react-router";
import { deleteSkill, skillsKey } from "../../api/skills.ts";
import { DeleteButton } from "../../components/delete-button.tsx";

type Props = { readonly name: string; readonly version: string; readonly isOnly: boolean };

export function RemoveVersion({ name, version, isOnly }: Props) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      version={version}
      request={deleteSkill(name, version)}
      lines={[
        "Its package is gone after that. Agents made of it stay as they are.",
        isOnly ? "It is the only version: whatever names this skill will fail." : "What names this version will fail.",
      ]}
      queryKey={skillsKey}
      leave={() =>
        isOnly
          ? navigate({ to: "/skills", search: {} })
          : navigate({ to: "/skills/$name", params: { name }, search: {} })
      }
    />
  );
}
