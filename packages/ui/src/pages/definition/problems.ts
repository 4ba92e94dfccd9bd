import { ApiError } from "../../api/client.ts";
import type { Steps } from "../../editing/json-places.ts";
import type { TextProblem } from "../../editing/schema-editor.tsx";
import { readEntries, valueAt } from "./draft-entries.ts";

/** What the server says is wrong with a definition, each with the steps to where. */
export function toProblems(error: unknown, draft: unknown): readonly TextProblem[] {
  if (!(error instanceof ApiError)) throw error;
  const told = error.body?.validationErrors;
  if (told === undefined || told.length === 0) {
    return [{ message: error.message, steps: stepsIn(/^Expected (\S+) to be/.exec(error.message)?.[1] ?? "") }];
  }
  return told.map(({ path, message }) => {
    const steps = stepsIn(path.replace(/^\w+\.arg0(?:\[0\])?\.?/, ""));
    return { message, steps: steps.length > 0 ? steps : stepsFromWords(message, draft) };
  });
}

/** `tasks[1].decisionCases[x].<map value>[0].name`, in steps. */
function stepsIn(path: string): Steps {
  const steps: string[] = [];
  for (const [token, bracketed] of path.matchAll(/<[^>]*>|\[([^\]]*)\]|[^.[\]]+/g)) {
    if (!token.startsWith("<")) steps.push(bracketed ?? token);
  }
  return steps;
}

/** Some rules are about the whole, and name the task in words. */
function stepsFromWords(message: string, draft: unknown): Steps {
  const twice = /^taskReferenceName: (.+) should be unique/.exec(message)?.[1];
  if (twice !== undefined) {
    const steps = findTasks(draft, "taskReferenceName", twice).at(-1);
    return steps === undefined ? [] : [...steps, "taskReferenceName"];
  }
  const input = / for given task: (.+) input value: (.+) of input parameter: /.exec(message);
  const [, name = "", key = ""] = input ?? [];
  const steps = findTasks(draft, "name", name)[0] ?? findTasks(draft, "taskReferenceName", name)[0];
  return steps === undefined ? [] : [...steps, "inputParameters", key];
}

function findTasks(draft: unknown, key: string, value: string): readonly Steps[] {
  return [...readEntries(draft).stepsOf.values()]
    .filter((steps) => valueAt(draft, [...steps, key]) === value)
    .toSorted((a, b) => (a.join("/") < b.join("/") ? -1 : 1));
}
