import { CodeXml } from "lucide-react";
import type { ApiRequest } from "../api/client.ts";
import { type SnippetKind, snippetKinds, toSnippet } from "../api/snippets.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy-button.tsx";
import { Menu, MenuItem, MenuLabel } from "./menu.tsx";
import { showToast } from "./toasts.tsx";

/** "Copy as curl": the request behind what is on screen, for a terminal or a program. */
export function CopyAs({ request, label = "Copy as" }: { readonly request: ApiRequest; readonly label?: string }) {
  return (
    <Menu
      trigger={
        <Button look="ghost" isSmall>
          <CodeXml /> {label}
        </Button>
      }
    >
      <MenuLabel>
        {request.method} /api{request.path}
      </MenuLabel>
      {snippetKinds.map((kind) => (
        <MenuItem key={kind} onSelect={() => void copySnippet(kind, request)}>
          Copy as {kind}
        </MenuItem>
      ))}
    </Menu>
  );
}

async function copySnippet(kind: SnippetKind, request: ApiRequest): Promise<void> {
  await copyText(toSnippet(kind, request, location.origin));
  showToast("good", `Copied as ${kind}`);
}
