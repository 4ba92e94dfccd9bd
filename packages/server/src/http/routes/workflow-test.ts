import { randomUUID } from "node:crypto";
import {
  type Fields,
  freeMap,
  listOf,
  long,
  type Model,
  mapOf,
  model,
  optionalOneOf,
  type StartRequest,
  startRequestFields,
  withDefault,
} from "@downbeat/engine";
import { type Mock, type Mocks, runWithMocks } from "../../runtime/mock-run.ts";
import { readWorkflow } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json } from "../api.ts";
import { jsonBody } from "../body.ts";
import { noSuchWorkflow } from "../errors.ts";
import { workflowModel } from "../models.ts";
import { sendJson } from "../reply.ts";
import { startFromRequest } from "../start.ts";

const LONGEST_TEST_MS = 20_000;

type TestRequest = StartRequest & {
  readonly taskRefToMockOutput: { readonly [ref: string]: readonly Mock[] };
  readonly subWorkflowTestRequest: { readonly [ref: string]: TestRequest };
};

const mockModel: Model<Mock> = model("TaskMock", () => ({
  status: withDefault("COMPLETED", optionalOneOf("COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "IN_PROGRESS")),
  output: freeMap,
  executionTime: long(0),
  queueWaitTime: long(0),
}));

const testRequestModel: Model<TestRequest> = model(
  "WorkflowTestRequest",
  () =>
    ({
      ...startRequestFields,
      taskRefToMockOutput: mapOf(listOf(mockModel)),
      subWorkflowTestRequest: mapOf(testRequestModel),
    }) as Fields<TestRequest>,
);

/** Running a definition on made-up results. */
export function workflowTestRoutes(api: Api, runtime: Runtime): void {
  api.post(
    "/workflow/test",
    {
      summary: "Run a definition with mocks",
      description:
        "A real execution, kept and marked as a test. No worker gets its tasks and nothing is called: each task ends by the next of its mocks, and the execution stands where there are none.",
      body: jsonBody(testRequestModel, "What to start, and how its tasks end"),
      answers: { 200: json(workflowModel, "The execution as far as it got") },
    },
    async ({ body }, reply) => {
      const request = testRequestModel(body, "");
      const id = await startFromRequest(
        runtime,
        { ...request, taskToDomain: { ...request.taskToDomain, "*": randomUUID() } },
        { isTest: true },
      );
      await runWithMocks(runtime, id, toMocks(request), LONGEST_TEST_MS);
      const workflow = await readWorkflow(runtime, id, { includeTasks: true });
      if (workflow === undefined) throw noSuchWorkflow(id);
      return sendJson(reply, workflow);
    },
  );
}

const toMocks = ({ taskRefToMockOutput, subWorkflowTestRequest }: TestRequest): Mocks => ({
  tasks: new Map(Object.entries(taskRefToMockOutput).map(([ref, mocks]) => [ref, [...mocks]])),
  children: new Map(Object.entries(subWorkflowTestRequest).map(([ref, request]) => [ref, toMocks(request)])),
});
