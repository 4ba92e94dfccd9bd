import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import {
  type Api,
  answerModel,
  type Body,
  flag,
  freeObject,
  invalidInput,
  json,
  jsonBody,
  list,
  listOf,
  notFound,
  nothing,
  optionalInteger,
  plainText,
  sendText,
  sendValue,
  textOr,
  texts,
} from "@downbeat/server";
import { input } from "../input.ts";
import { findVersion, type Prompt, type PromptTemplates, type PromptVersion, type Tag } from "./prompt-templates.ts";

const promptModel = answerModel("PromptTemplate", {
  name: { type: "string" },
  version: { type: "integer" },
  template: { type: "string" },
  variables: texts,
  description: { type: "string" },
  integrations: texts,
  tags: listOf(freeObject),
  createdOn: { type: "integer" },
  updatedOn: { type: "integer" },
});

const one = json(promptModel, "The prompt");
const many = json(listOf(promptModel), "By name, or by version");

/** The text itself, or as JSON: clients differ. */
const templateBody: Body<string> = {
  schema: { type: "string" },
  description: "The template, with its variables as `${name}`",
  required: true,
  read(body) {
    const text = typeof body === "string" ? body : "";
    if (!/^\s*["{]/.test(text)) return assertTemplate(text);
    const value = tryJson(text);
    if (typeof value === "string") return assertTemplate(value);
    if (isJsonObject(value) && typeof value["template"] === "string") return assertTemplate(value["template"]);
    return assertTemplate(text);
  },
};

function assertTemplate(text: string): string {
  if (text.trim() === "") throw invalidInput("Expected the template as body, got nothing");
  return text;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A template that begins like JSON is still a template.
    return undefined;
  }
}

type Try = (request: JsonObject) => Promise<string>;

/** Prompts saved by name, which tasks then name. */
export function promptRoutes(api: Api, prompts: PromptTemplates, tryOut: Try): void {
  const load = async (name: string): Promise<Prompt> => {
    const prompt = await prompts.find(name);
    if (prompt === undefined) throw notFound(`No such prompt found by name: ${name}`);
    return prompt;
  };

  api.get(
    "/prompts",
    { summary: "Saved prompts, the latest version of each", answers: { 200: many } },
    async (_, reply) =>
      sendValue(
        reply,
        (await prompts.list()).map((prompt) => shown(prompt)),
      ),
  );

  for (const path of ["/prompts", "/prompts/"] as const) {
    api.post(
      path,
      { summary: "Save several prompts", body: jsonBody(listOf(freeObject), "Prompts"), answers: { 200: nothing() } },
      async ({ body }, reply) => {
        if (!Array.isArray(body)) throw invalidInput("Expected a list of prompts as body");
        const read = body.map((item: unknown, index) => readPrompt(item, index));
        for (const { name, version, ...saved } of read) {
          await prompts.save(name, saved, { isNew: false, ...(version === undefined ? {} : { version }) });
        }
        return reply.send();
      },
    );
  }

  api.post(
    "/prompts/test",
    {
      summary: "Ask a model with a prompt that is not saved",
      body: jsonBody(freeObject, "llmProvider, model, prompt, promptVariables, temperature, topP, stopWords"),
      answers: { 200: plainText("What the model answered") },
    },
    async ({ body }, reply) => {
      if (!isJsonObject(body)) throw invalidInput("Expected an object as body");
      return sendText(reply, await tryOut(body));
    },
  );

  api.get("/prompts/:name", { summary: "A saved prompt", answers: { 200: one } }, async ({ params: { name } }, reply) =>
    sendValue(reply, shown(await load(name))),
  );

  const saving = {
    summary: "Save a prompt",
    description: "Takes the place of its latest version, or becomes the next one with `autoIncrement`.",
    query: {
      description: textOr("", "What it is for"),
      models: list("Models it is written for, as `provider:model`"),
      version: optionalInteger("The version to write"),
      autoIncrement: flag(false, "Whether it becomes a version of its own"),
    },
    body: templateBody,
    answers: { 200: nothing() },
  };
  for (const method of ["post", "put"] as const) {
    api[method]("/prompts/:name", saving, async ({ params: { name }, query, body: template }, reply) => {
      const { description, models, version, autoIncrement } = query;
      const at = { isNew: autoIncrement, ...(version === undefined ? {} : { version }) };
      await prompts.save(name, { template, description, integrations: models ?? [] }, at);
      return reply.send();
    });
  }

  api.delete(
    "/prompts/:name",
    { summary: "Remove a prompt", answers: { 200: nothing() } },
    async ({ params: { name } }, reply) => {
      await prompts.remove(name);
      return reply.send();
    },
  );

  api.get(
    "/prompts/:name/versions",
    { summary: "Every version of a prompt", answers: { 200: many } },
    async ({ params: { name } }, reply) => {
      const prompt = await load(name);
      return sendValue(
        reply,
        prompt.versions.map((version) => shown(prompt, version)),
      );
    },
  );

  api.get(
    "/prompts/:name/versions/:version",
    { summary: "One version of a prompt", answers: { 200: one } },
    async ({ params: { name, version } }, reply) => {
      const prompt = await load(name);
      const found = findVersion(prompt, numberOf(version));
      if (found === undefined) throw notFound(`No such prompt found by name: ${name}, version: ${version}`);
      return sendValue(reply, shown(prompt, found));
    },
  );

  api.delete(
    "/prompts/:name/versions/:version",
    { summary: "Remove one version of a prompt", answers: { 200: nothing() } },
    async ({ params: { name, version } }, reply) => {
      await prompts.removeVersion(name, numberOf(version));
      return reply.send();
    },
  );

  api.get(
    "/prompts/:name/tags",
    { summary: "Tags of a prompt", answers: { 200: json(listOf(freeObject), "Its tags") } },
    async ({ params: { name } }, reply) => sendValue(reply, (await load(name)).tags),
  );

  const tags = jsonBody(listOf(freeObject), "Tags: {key, value}");
  api.put(
    "/prompts/:name/tags",
    { summary: "Tag a prompt", body: tags, answers: { 200: nothing() } },
    async ({ params: { name }, body }, reply) => {
      const given = readTags(body);
      await load(name);
      await prompts.setTags(name, (present) => [...without(present, given), ...given]);
      return reply.send();
    },
  );

  api.delete(
    "/prompts/:name/tags",
    { summary: "Take tags from a prompt", body: tags, answers: { 200: nothing() } },
    async ({ params: { name }, body }, reply) => {
      const given = readTags(body);
      await load(name);
      await prompts.setTags(name, (present) => without(present, given));
      return reply.send();
    },
  );
}

function shown({ name, tags, versions }: Prompt, version = versions.at(-1) as PromptVersion): JsonObject {
  const { template } = version;
  const variables = [...new Set([...template.matchAll(/\$\{([^}]*)\}/g)].map(([, variable = ""]) => variable))];
  return { name, ...version, variables, tags: tags as unknown as Json };
}

function readPrompt(item: unknown, index: number) {
  if (!isJsonObject(item)) throw invalidInput(`Expected prompt ${index} to be an object`);
  const { name, template } = item;
  if (typeof name !== "string" || name === "") throw invalidInput(`Expected prompt ${index} to have a name`);
  if (typeof template !== "string" || template === "")
    throw invalidInput(`Expected prompt "${name}" to have a template`);
  return {
    name,
    template,
    description: input.text(item, "description") ?? "",
    integrations: input.texts(item, "integrations"),
    version: input.integer(item, "version"),
  };
}

function readTags(body: unknown): readonly Tag[] {
  return (Array.isArray(body) ? body : [body]).map((tag: unknown, index) => {
    if (!isJsonObject(tag) || typeof tag["key"] !== "string" || typeof tag["value"] !== "string") {
      throw invalidInput(`Expected tag ${index} to have a key and a value`);
    }
    return { key: tag["key"], value: tag["value"], type: "METADATA" };
  });
}

const without = (tags: readonly Tag[], others: readonly Tag[]): readonly Tag[] =>
  tags.filter(({ key, value }) => !others.some((other) => other.key === key && other.value === value));

function numberOf(version: string): number {
  if (!/^\d{1,9}$/.test(version)) throw invalidInput(`Expected a version to be a number, got "${version}"`);
  return Number(version);
}
