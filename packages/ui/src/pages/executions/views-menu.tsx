import { Bookmark, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../components/menu.tsx";
import type { ExecutionsSearch } from "./search.ts";
import { forgetView, givenViews, saveView, useSavedViews } from "./views.ts";

type Props = { readonly search: ExecutionsSearch; readonly onChoose: (search: ExecutionsSearch) => void };

export function ViewsMenu({ search, onChoose }: Props) {
  const saved = useSavedViews();
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState("");
  const current = JSON.stringify(search);
  const chosen = [...saved, ...givenViews].find((view) => JSON.stringify(view.search) === current);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button>
            <Bookmark /> {chosen?.name ?? "Views"}
          </Button>
        }
      >
        {givenViews.map((view) => (
          <MenuItem key={view.name} onSelect={() => onChoose(view.search)}>
            {view.name}
          </MenuItem>
        ))}
        {saved.length > 0 && <MenuLabel>Yours</MenuLabel>}
        {saved.map((view) => (
          <MenuItem key={view.name} onSelect={() => onChoose(view.search)}>
            {view.name}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => setNaming(true)}>
          <Plus /> Save what is shown…
        </MenuItem>
        {chosen !== undefined && saved.includes(chosen) && (
          <MenuItem isDanger onSelect={() => forgetView(chosen.name)}>
            <Trash2 /> Forget “{chosen.name}”
          </MenuItem>
        )}
      </Menu>
      <Dialog
        isOpen={isNaming}
        onClose={() => setNaming(false)}
        title="Save this view"
        description="Filters, order and columns, in this browser. The page's address holds the same: send that to others."
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saveView({ name: name.trim(), search });
            setNaming(false);
            setName("");
          }}
          className="flex flex-col gap-4"
        >
          <Field label="Name">
            <TextInput value={name} onChange={(event) => setName(event.target.value)} required pattern=".*\S.*" />
          </Field>
          <Button type="submit" look="primary" className="self-end">
            Save view
          </Button>
        </form>
      </Dialog>
    </>
  );
}
