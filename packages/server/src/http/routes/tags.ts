import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { notFound } from "../errors.ts";
import { listOf, tagModel } from "../models.ts";
import { sendValue } from "../reply.ts";
import { keyOf, type Tag, tagBody, without } from "../tag-body.ts";

type Kind = "workflow" | "task" | "event";

const MOST_PER_PAGE = 1000;

/** Tags of definitions: labels by which people find them again. They change nothing about how things run. */
export function tagRoutes(api: Api, runtime: Runtime): void {
  const { store, definitions, events } = runtime;
  const collectionOf = (kind: Kind) => `tags/${kind}`;

  const kinds: Readonly<Record<Kind, { exists: (name: string) => boolean; missing: (name: string) => string }>> = {
    workflow: {
      exists: (name) => definitions.findWorkflowDef(name) !== undefined,
      missing: (name) => `No such workflow found by name: ${name}, version: null`,
    },
    task: {
      exists: (name) => definitions.findTaskDef(name) !== undefined,
      missing: (name) => `No such taskType found by name: ${name}`,
    },
    event: {
      exists: (name) => events.handlers.has(name),
      missing: (name) => `EventHandler with name ${name} not found!`,
    },
  };

  const assertExists = (kind: Kind, name: string): void => {
    if (!kinds[kind].exists(name)) throw notFound(kinds[kind].missing(name));
  };

  const find = (kind: Kind, name: string) => store.documents.find(collectionOf(kind), name);
  const load = async (kind: Kind, name: string): Promise<readonly Tag[]> => readTags(await find(kind, name));

  /** Whoever changes the tags of a definition at the same moment changes what this one made of them. */
  const change = async (kind: Kind, name: string, make: (tags: readonly Tag[]) => readonly Tag[]): Promise<void> => {
    for (;;) {
      const before = await find(kind, name);
      const document = {
        collection: collectionOf(kind),
        id: name,
        body: JSON.stringify(make(readTags(before))),
        mustBeNew: before === undefined,
        ...(before === undefined ? {} : { replaces: before }),
      };
      const { kind: outcome } = await store.commit({ kind: "put-documents", documents: [document] });
      if (outcome === "done") return;
    }
  };

  for (const [kind, path, what] of [
    ["workflow", "/metadata/workflow/:name/tags", "a workflow definition"],
    ["task", "/metadata/task/:name/tags", "a task definition"],
    ["event", "/event/:name/tags", "an event handler"],
  ] as const) {
    const answers = { 200: nothing() };

    api.get(
      path,
      { summary: `Tags of ${what}`, answers: { 200: json(listOf(tagModel), "Its tags") } },
      async ({ params: { name } }, reply) => {
        assertExists(kind, name);
        return sendValue(reply, await load(kind, name));
      },
    );

    api.post(
      path,
      { summary: `Tag ${what}`, body: tagBody, answers },
      async ({ params: { name }, body: tags }, reply) => {
        assertExists(kind, name);
        await change(kind, name, (present) => [...without(present, tags), ...tags]);
        return reply.send();
      },
    );

    api.put(
      path,
      { summary: `Replace the tags of ${what}`, body: tagBody, answers },
      async ({ params: { name }, body: tags }, reply) => {
        assertExists(kind, name);
        await change(kind, name, () => tags);
        return reply.send();
      },
    );

    api.delete(
      path,
      { summary: `Take tags from ${what}`, body: tagBody, answers },
      async ({ params: { name }, body: tags }, reply) => {
        assertExists(kind, name);
        await change(kind, name, (present) => without(present, tags));
        return reply.send();
      },
    );
  }

  api.get(
    "/metadata/tags",
    { summary: "All tags that are in use", answers: { 200: json(listOf(tagModel), "Each once") } },
    async (_call, reply) => {
      const found = new Map<string, Tag>();
      for (const kind of ["workflow", "task", "event"] as const) {
        for (let start = 0; ; start += MOST_PER_PAGE) {
          const page = await store.documents.list(collectionOf(kind), { start, limit: MOST_PER_PAGE });
          for (const { body } of page) for (const tag of JSON.parse(body) as Tag[]) found.set(keyOf(tag), tag);
          if (page.length < MOST_PER_PAGE) break;
        }
      }
      return sendValue(reply, [...found.values()]);
    },
  );
}

const readTags = (body: string | undefined): readonly Tag[] => (body === undefined ? [] : (JSON.parse(body) as Tag[]));
