import { MappingFailure } from "../decide/outcome.ts";
import { begin, createTask, resolveInput } from "../decide/schedule.ts";
import { toJson } from "../expression/raw-json.ts";
import { renderText } from "../expression/render-text.ts";
import { type JsonObject, ownMember } from "../json.ts";
import type { TaskType } from "../registry.ts";
import { worker } from "./simple.ts";

/** DYNAMIC: its input names the task to run, a worker's or one of ours. */
export const dynamic: TaskType = {
  type: "DYNAMIC",
  mode: "instant",
  initialStatus: "SCHEDULED",
  schedule(t, entry, place) {
    const { input } = resolveInput(t, entry, place, dynamic);
    const data = toJson(input) as JsonObject;
    const param = entry.task.dynamicTaskNameParam ?? "";
    const name = ownMember(data, param);
    if (typeof name !== "string" || name === "") {
      throw new MappingFailure(
        `Cannot map a dynamic task based on the parameter and input. Parameter= ${param}, input= ${renderText(data)}`,
      );
    }
    const found = t.context.taskTypes.find(name);
    if (found?.schedule !== undefined) {
      throw new MappingFailure(`Invalid task specified.  Cannot find task by name ${name} in the task definitions`);
    }
    const type = found ?? worker;
    const chosen = t.dynamicEntry(entry, name);
    const resolved = resolveInput(t, chosen, place, type);
    const task = createTask(t, chosen, place, type, {
      input: resolved.input,
      taskType: name,
      taskDefName: name,
      ...(resolved.secrets === undefined ? {} : { secrets: resolved.secrets }),
    });
    begin(t, task, chosen, type);
  },
};
