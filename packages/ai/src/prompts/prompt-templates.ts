import type { Runtime } from "@downbeat/server";
import { TerminalError } from "../errors.ts";

export type Tag = { readonly key: string; readonly value: string; readonly type: string };

/** One version of a saved prompt. */
export type PromptVersion = {
  readonly version: number;
  readonly template: string;
  readonly description: string;
  /** Models it was written for: told, not enforced. */
  readonly integrations: readonly string[];
  readonly createdOn: number;
  readonly updatedOn: number;
};

/** A saved prompt: its versions, oldest first, never none. */
export type Prompt = {
  readonly name: string;
  readonly tags: readonly Tag[];
  readonly versions: readonly PromptVersion[];
};

export type SavedPrompt = Pick<PromptVersion, "template" | "description" | "integrations">;

const COLLECTION = "prompts";
const PAGE = 1000;
const LONGEST_NAME = 255;

/** Prompts that were saved by name, in the store. */
export class PromptTemplates {
  readonly #store: Runtime["store"];
  readonly #now: () => number;

  constructor({ store, clock }: Pick<Runtime, "store" | "clock">) {
    this.#store = store;
    this.#now = clock;
  }

  async find(name: string): Promise<Prompt | undefined> {
    const body = await this.#store.documents.find(COLLECTION, name);
    return body === undefined ? undefined : (JSON.parse(body) as Prompt);
  }

  /**
   * The text saved under this name, the latest when no version is named; undefined when there is no such prompt. Throws
   * when there is, but not in this version: its name would else be taken for the text.
   */
  async findText(name: string, version: number | undefined): Promise<string | undefined> {
    if (name.length > LONGEST_NAME || name.includes("\n")) return undefined;
    const prompt = await this.find(name);
    if (prompt === undefined) return undefined;
    const found = findVersion(prompt, version);
    if (found === undefined) throw new TerminalError(`No such prompt found by name: ${name}, version: ${version}`);
    return found.template;
  }

  async list(): Promise<readonly Prompt[]> {
    const prompts: Prompt[] = [];
    for (let start = 0; ; start += PAGE) {
      const page = await this.#store.documents.list(COLLECTION, { start, limit: PAGE });
      prompts.push(...page.map(({ body }) => JSON.parse(body) as Prompt));
      if (page.length < PAGE) return prompts;
    }
  }

  /** A version of its own, or in the place of the one that is named or the latest. */
  async save(
    name: string,
    saved: SavedPrompt,
    at: { readonly version?: number; readonly isNew: boolean },
  ): Promise<void> {
    await this.#change(name, (prompt = { name, tags: [], versions: [] }) => {
      const now = this.#now();
      const latest = prompt.versions.at(-1)?.version ?? 0;
      const version = at.isNew ? latest + 1 : (at.version ?? Math.max(latest, 1));
      const before = prompt.versions.find((other) => other.version === version);
      const written = { ...saved, version, createdOn: before?.createdOn ?? now, updatedOn: now };
      const versions = [...prompt.versions.filter((other) => other.version !== version), written];
      return { ...prompt, versions: versions.sort((one, other) => one.version - other.version) };
    });
  }

  /** False when there is no such prompt. */
  async setTags(name: string, make: (tags: readonly Tag[]) => readonly Tag[]): Promise<boolean> {
    return await this.#change(name, (prompt) => prompt && { ...prompt, tags: make(prompt.tags) });
  }

  async remove(name: string): Promise<void> {
    await this.#store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [name] });
  }

  /** With its last version a prompt goes. */
  async removeVersion(name: string, version: number): Promise<void> {
    await this.#change(
      name,
      (prompt) => prompt && { ...prompt, versions: prompt.versions.filter((other) => other.version !== version) },
    );
  }

  async #change(name: string, make: (prompt: Prompt | undefined) => Prompt | undefined): Promise<boolean> {
    // Whoever changes it at the same moment changes what this one made of it.
    for (;;) {
      const before = await this.#store.documents.find(COLLECTION, name);
      const made = make(before === undefined ? undefined : (JSON.parse(before) as Prompt));
      if (made === undefined) return false;
      if (made.versions.length === 0) {
        await this.remove(name);
        return true;
      }
      const document = {
        collection: COLLECTION,
        id: name,
        body: JSON.stringify(made),
        mustBeNew: before === undefined,
        ...(before === undefined ? {} : { replaces: before }),
      };
      const { kind } = await this.#store.commit({ kind: "put-documents", documents: [document] });
      if (kind === "done") return true;
    }
  }
}

export const findVersion = ({ versions }: Prompt, version: number | undefined): PromptVersion | undefined =>
  version === undefined ? versions.at(-1) : versions.find((one) => one.version === version);
