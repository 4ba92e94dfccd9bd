import type { TaskType } from "../registry.ts";
import { doWhile } from "./do-while.ts";
import { dynamic } from "./dynamic.ts";
import { event } from "./event.ts";
import { exclusiveJoin } from "./exclusive-join.ts";
import { forkJoin } from "./fork-join.ts";
import { forkJoinDynamic } from "./fork-join-dynamic.ts";
import { http } from "./http.ts";
import { human } from "./human.ts";
import { inline } from "./inline.ts";
import { join } from "./join.ts";
import { jsonJqTransform } from "./json-jq-transform.ts";
import { lambda } from "./lambda.ts";
import { noop } from "./noop.ts";
import { pullWorkflowMessages } from "./pull-workflow-messages.ts";
import { setVariable } from "./set-variable.ts";
import { simple } from "./simple.ts";
import { startWorkflow } from "./start-workflow.ts";
import { kafkaPublish, streamPublish } from "./stream-publish.ts";
import { subWorkflow } from "./sub-workflow.ts";
import { decision, switchTask } from "./switch.ts";
import { terminate } from "./terminate.ts";
import { wait } from "./wait.ts";
import { yieldTask } from "./yield.ts";

/** The task types every server knows. */
export const builtInTaskTypes: readonly TaskType[] = [
  simple,
  http,
  jsonJqTransform,
  inline,
  lambda,
  switchTask,
  decision,
  forkJoin,
  forkJoinDynamic,
  join,
  exclusiveJoin,
  doWhile,
  wait,
  human,
  yieldTask,
  pullWorkflowMessages,
  subWorkflow,
  startWorkflow,
  dynamic,
  setVariable,
  terminate,
  event,
  streamPublish,
  kafkaPublish,
  noop,
];
