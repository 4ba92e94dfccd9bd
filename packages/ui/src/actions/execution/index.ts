import type { Action, Subject } from "../action.ts";
import { pause } from "./pause.ts";
import { remove } from "./remove.ts";
import { restart } from "./restart.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { signal } from "./signal.ts";
import { terminate } from "./terminate.ts";

/** What can be done to an execution, in the order menus show it. */
export const executionActions: readonly Action<Subject>[] = [pause, resume, retry, signal, restart, terminate, remove];
