import type { AiTask } from "../ai-task.ts";

/** Every AI task type. Adding one touches its file and this list. */
export const aiTasks: readonly AiTask[] = [];
