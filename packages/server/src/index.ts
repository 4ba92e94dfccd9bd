export { type Config, loadConfig } from "./config.ts";
export { createApp } from "./http/app.ts";
export { createLogger } from "./log.ts";
export type { Executor, OutsideCall } from "./runtime/outside-work.ts";
export { Runtime, type RuntimeOptions } from "./runtime/runtime.ts";
