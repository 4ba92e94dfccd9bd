/** Names and ids, for threads that need no more of the engine than these: loading all of it takes them most of a second. */
export { classifierOf } from "./definition/classifier.ts";
export { parseTaskId, taskId } from "./execution/ids.ts";
export { referenceTaskName } from "./execution/task.ts";
