import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { workerTool } from "../frameworks/tools.ts";

/** Names of the local folders an agent may read, when it may read any. */
export function workspaceRoots(raw: JsonObject): readonly string[] {
  const workspace = ownMember(raw, "workspace");
  if (!isJsonObject(workspace)) return [];
  const roots = ownMember(workspace, "roots");
  const names = Array.isArray(roots) ? roots.flatMap(rootName) : [];
  const isEnabled = ownMember(workspace, "enabled") ?? names.length > 0;
  if (isEnabled !== true) return [];
  return names.length > 0 ? names : ["workspace"];
}

function rootName(root: Json): readonly string[] {
  const name = isJsonObject(root) ? ownMember(root, "name") : root;
  return typeof name === "string" && name !== "" ? [name] : [];
}

/** The tools by which an agent reads those folders. They run in the SDK's process, beside the files. */
export function workspaceTools(skill: string, roots: readonly string[]): readonly JsonObject[] {
  if (roots.length === 0) return [];
  const root = {
    type: "string",
    description: "Name of the workspace root to work in; the first one when it is left out",
    enum: roots,
  };
  const tool = (name: string, description: string, properties: JsonObject, required: readonly string[] = []) =>
    workerTool({
      name: `${skill}__${name}`,
      description,
      inputSchema: {
        type: "object",
        properties: { root, ...properties },
        ...(required.length === 0 ? {} : { required }),
      },
    });
  return [
    tool("list_workspace_files", "List the files below a folder of a local workspace root, as paths relative to it", {
      path: text("Directory path relative to the selected root"),
      glob: text("Optional file glob such as src/**/*.py"),
      limit: integer("Maximum number of file paths to return"),
    }),
    tool(
      "read_workspace_file",
      "Read one text file of a local workspace root, by its path relative to that root",
      { path: text("File path relative to the selected root"), limit: integer("Maximum bytes to return") },
      ["path"],
    ),
    tool(
      "search_workspace",
      "Search the files of a local workspace root for a text, and get the lines it is found in",
      {
        query: text("Text to search for"),
        path: text("Directory path relative to the selected root"),
        glob: text("Optional file glob such as **/*.java"),
        ignoreCase: { type: "boolean", description: "Whether to ignore case" },
        limit: integer("Maximum number of matches to return"),
      },
      ["query"],
    ),
    tool("git_status", "Show git status for a local workspace root", {}),
    tool("git_diff", "Show git diff for a local workspace root", {
      path: text("Optional file path relative to the selected root"),
      staged: { type: "boolean", description: "When true, show staged changes" },
      base: text("Optional base revision or range"),
    }),
  ];
}

/** The instructions, and a paragraph that tells of the folders. */
export function withWorkspaceNote(instructions: string, skill: string, roots: readonly string[]): string {
  if (roots.length === 0) return instructions;
  const names = ["list_workspace_files", "read_workspace_file", "search_workspace", "git_status", "git_diff"];
  const tools = names.map((name) => `${skill}__${name}`).join(", ");
  const note =
    `You can read files of the user's local workspace with these tools: ${tools}. ` +
    `Workspace roots: ${roots.join(", ")}. Paths are relative to the root you select.`;
  return `${instructions}\n\n${note}`.trimStart();
}

const text = (description: string): JsonObject => ({ type: "string", description });
const integer = (description: string): JsonObject => ({ type: "integer", description });
