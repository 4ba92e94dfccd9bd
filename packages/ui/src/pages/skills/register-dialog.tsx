import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FileArchive, FolderOpen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { call } from "../../api/client.ts";
import { registerSkill, type SkillDetail, skillsKey } from "../../api/skills.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { showToast } from "../../components/toasts.tsx";
import { formatCount, formatSize } from "../../lib/format.ts";

/** A package that is ready to be sent, and how it is described to whoever chose it. */
type Chosen = { readonly zip: File; readonly about: string };

/** Registers a version of a skill, from a folder or a zip. */
export function RegisterDialog({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [version, setVersion] = useState("");
  const [model, setModel] = useState("");
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const pack = useMutation({ mutationFn: packageOf, onSuccess: setChosen, onMutate: () => setChosen(undefined) });
  const manifest = { ...(version === "" ? {} : { version }), ...(model === "" ? {} : { model }) };
  const request = chosen && registerSkill(manifest, chosen.zip);
  const register = useMutation({
    mutationFn: (given: NonNullable<typeof request>) => call<SkillDetail>(given),
    onSuccess: async ({ name, version: registered }) => {
      showToast("good", `Registered ${name} version ${registered}`);
      await queryClient.invalidateQueries({ queryKey: skillsKey });
      await navigate({ to: "/skills/$name", params: { name }, search: {} });
    },
  });
  const error = pack.error ?? register.error;
  const take = (files: FileList | null) => {
    register.reset();
    if (files !== null && files.length > 0) pack.mutate([...files]);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Register a skill"
      description={
        <>
          SKILL.md at the top, with <span className="mono">name</span> and <span className="mono">description</span> in
          its front matter; beside it the agents, scripts and files it uses.
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (request !== undefined) register.mutate(request);
        }}
      >
        <div className="flex items-center gap-2">
          <Chooser label="Choose a folder" icon={<FolderOpen />} isFolder onChoose={take} />
          <Chooser label="Choose a zip" icon={<FileArchive />} onChoose={take} />
        </div>
        {pack.isPending && <p className="text-sm text-faint">Packing …</p>}
        {chosen !== undefined && (
          <p className="text-sm">
            <span className="mono">{chosen.zip.name}</span> <span className="text-soft">{chosen.about}</span>
          </p>
        )}
        <Field label="Version" hint="The beginning of its checksum when left out">
          <TextInput className="mono" value={version} onChange={(event) => setVersion(event.target.value)} />
        </Field>
        <Field label="Model" hint="For agents made of it; it can be chosen when it is deployed, too">
          <TextInput
            className="mono"
            placeholder="openai/gpt-4o-mini"
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
        </Field>
        {error !== null && <Problem error={error} />}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">{request !== undefined && <CopyAs request={request} />}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={request === undefined || register.isPending}>
            Register
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A zip as it is; the files of a folder as a zip. */
async function packageOf(files: readonly File[]): Promise<Chosen> {
  const [first] = files;
  if (first === undefined) throw new Error("Expected a file, got none");
  if (first.webkitRelativePath === "") return { zip: first, about: formatSize(first.size) };
  // What packs is needed by those who choose a folder only.
  const { filesIn, packFolder } = await import("./pack-folder.ts");
  const inside = filesIn(files);
  if (!inside.some(({ path }) => path === "SKILL.md")) {
    throw new Error("Expected a file SKILL.md in the folder itself, got none: choose the folder that holds it");
  }
  const zip = await packFolder(first.webkitRelativePath.split("/")[0] ?? "skill", inside);
  const count = `${formatCount(inside.length)} file${inside.length === 1 ? "" : "s"}`;
  return { zip, about: `${count}, ${formatSize(zip.size)}` };
}

type ChooserProps = {
  readonly label: string;
  readonly icon: ReactNode;
  readonly isFolder?: boolean;
  readonly onChoose: (files: FileList | null) => void;
};

/** A button that opens the browser's own dialog. */
function Chooser({ label, icon, isFolder = false, onChoose }: ChooserProps) {
  return (
    <label className="inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 text-sm font-medium focus-within:outline-2 focus-within:outline-accent hover:bg-hover [&_svg]:size-4">
      {icon} {label}
      <input
        type="file"
        className="sr-only"
        {...(isFolder ? { webkitdirectory: "" } : { accept: ".zip,application/zip" })}
        onChange={(event) => {
          onChoose(event.target.files);
          // The same one can be chosen again after it was mended.
          event.target.value = "";
        }}
      />
    </label>
  );
}
