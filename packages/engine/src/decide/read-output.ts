import type { Task } from "../execution/task.ts";
import type { Context, View } from "./context.ts";
import { textOf } from "./join-output.ts";
import { outputNode } from "./scope.ts";
import { Transition } from "./transition.ts";

/** A task's output as JSON text, put together where it is a view (JOIN, DO_WHILE). May throw `Missing`. */
export const readOutput = (view: View, context: Context, task: Task): string =>
  textOf(outputNode(new Transition(view, context), task));
