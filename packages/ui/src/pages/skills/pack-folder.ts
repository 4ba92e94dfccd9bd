import { type Zippable, zipSync } from "fflate";

/** A file of a folder that a person chose, under its path within that folder. */
type FolderFile = { readonly path: string; readonly file: File };

/** The files of a chosen folder that make up a package: hidden ones (`.git`, `.DS_Store`) are nobody's skill. */
export function filesIn(chosen: readonly File[]): readonly FolderFile[] {
  return chosen
    .map((file) => ({ file, path: file.webkitRelativePath.split("/").slice(1).join("/") }))
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX"))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Any zone gives the same bytes for it: the same folder is the same package, wherever it is packed. */
const ANY_TIME = new Date(1980, 0, 1);

/** A folder as a zip. */
export async function packFolder(name: string, files: readonly FolderFile[]): Promise<File> {
  const entries: Zippable = {};
  for (const { path, file } of files) entries[path] = [new Uint8Array(await file.arrayBuffer()), { mtime: ANY_TIME }];
  return new File([new Uint8Array(zipSync(entries))], `${name}.zip`, { type: "application/zip" });
}
