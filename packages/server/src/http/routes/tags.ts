import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { notFound } from "../errors.ts";
import { listOf, tagModel } from "../models.ts";
import { sendValue } from "../reply.ts";
import { keyOf, type Tag, tagBody, without } from "../tag-body.ts";

type Kind = "workflow" | "task";

const MOST_PER_PAGE = 1000;

/** Tags of definitions: labels by which people find them again. They change nothing about how things run. */
export function tagRoutes(api: Api, runtime: Runtime): void {
  const { store, definitions } = runtime;
  const collectionOf = (kind: Kind) => `tags/${kind}`;

  const exists = (kind: Kind, name: string): boolean =>
    (kind === "workflow" ? definitions.findWorkflowDef(name) : definitions.findTaskDef(name)) !== undefined;

  const assertExists = (kind: Kind, name: string): void => {
    if (exists(kind, name)) return;
    throw notFound(
      kind === "workflow"
        ? `No such workflow found by name: ${name}, version: null`
        : `No such taskType found by name: ${name}`,
    );
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

  for (const [kind, path] of [
    ["workflow", "/metadata/workflow/:name/tags"],
    ["task", "/metadata/task/:name/tags"],
  ] as const) {
    const answers = { 200: nothing() };

    api.get(
      path,
      { summary: `Tags of a ${kind} definition`, answers: { 200: json(listOf(tagModel), "Its tags") } },
      async ({ params: { name } }, reply) => {
        assertExists(kind, name);
        return sendValue(reply, await load(kind, name));
      },
    );

    api.post(
      path,
      { summary: `Tag a ${kind} definition`, body: tagBody, answers },
      async ({ params: { name }, body: tags }, reply) => {
        assertExists(kind, name);
        await change(kind, name, (present) => [...without(present, tags), ...tags]);
        return reply.send();
      },
    );

    api.put(
      path,
      { summary: `Replace the tags of a ${kind} definition`, body: tagBody, answers },
      async ({ params: { name }, body: tags }, reply) => {
        assertExists(kind, name);
        await change(kind, name, () => tags);
        return reply.send();
      },
    );

    api.delete(
      path,
      { summary: `Take tags from a ${kind} definition`, body: tagBody, answers },
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
      for (const kind of ["workflow", "task"] as const) {
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
