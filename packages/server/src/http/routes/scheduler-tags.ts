import type { Tag } from "../../scheduler/schedule.ts";
import type { Scheduler } from "../../scheduler/scheduler.ts";
import { type Api, json, nothing } from "../api.ts";
import { notFound } from "../errors.ts";
import { listOf, scheduleAnswer, tagModel } from "../models.ts";
import { requiredText } from "../parameters.ts";
import { sendValue } from "../reply.ts";
import { tagBody, without } from "../tag-body.ts";

/** Tags of schedules. They change nothing about when they fire. */
export function schedulerTagRoutes(api: Api, { schedules }: Scheduler): void {
  const answers = { 200: nothing() };

  const change = async (name: string, make: (tags: readonly Tag[]) => readonly Tag[]): Promise<void> => {
    if (!(await schedules.changeTags(name, make))) throw notFound(`Schedule '${name}' not found`);
  };

  api.get(
    "/scheduler/schedules/tags",
    {
      summary: "Schedules that have a tag",
      query: { tag: requiredText("As `key:value`, or a key alone") },
      answers: { 200: json(listOf(scheduleAnswer), "By name") },
    },
    ({ query: { tag } }, reply) => {
      const isWanted = ({ key, value }: Tag) => key === tag || `${key}:${value}` === tag;
      return sendValue(
        reply,
        schedules.all().filter(({ tags = [] }) => tags.some(isWanted)),
      );
    },
  );

  api.get(
    "/scheduler/schedules/:name/tags",
    { summary: "Tags of a schedule", answers: { 200: json(listOf(tagModel), "Its tags") } },
    ({ params: { name } }, reply) => {
      const schedule = schedules.find(name);
      if (schedule === undefined) throw notFound(`Schedule '${name}' not found`);
      return sendValue(reply, schedule.tags ?? []);
    },
  );

  api.put(
    "/scheduler/schedules/:name/tags",
    { summary: "Replace the tags of a schedule", body: tagBody, answers },
    async ({ params: { name }, body: tags }, reply) => {
      await change(name, () => tags);
      return reply.send();
    },
  );

  api.delete(
    "/scheduler/schedules/:name/tags",
    { summary: "Take tags from a schedule", body: tagBody, answers },
    async ({ params: { name }, body: tags }, reply) => {
      await change(name, (present) => without(present, tags));
      return reply.send();
    },
  );
}
