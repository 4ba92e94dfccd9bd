import type { Schema } from "@downbeat/engine";
import { answerModel, freeObject, listOf, mapOf, taskModel, texts } from "@downbeat/server";

const string: Schema = { type: "string" };
const boolean: Schema = { type: "boolean" };
const whole: Schema = { type: "integer", format: "int64" };
const anything: Schema = {};

export const compiledModel = answerModel(
  "CompiledAgent",
  { workflowDef: freeObject, requiredWorkers: texts },
  { warnings: texts },
);
export const deployedModel = answerModel("DeployedAgent", {
  agentName: string,
  version: whole,
  requiredWorkers: texts,
});
export const startedModel = answerModel("StartedAgent", {
  executionId: string,
  agentName: string,
  requiredWorkers: texts,
});

export const inspectedModel = answerModel("InspectedPlan", {
  workflowDef: { anyOf: [freeObject, { type: "null" }] },
  error: { type: ["string", "null"] },
  warnings: texts,
  stats: freeObject,
});

export const agentSummaryModel = answerModel(
  "AgentSummary",
  {
    name: string,
    version: whole,
    type: string,
    tags: texts,
    createTime: whole,
    updateTime: whole,
    checksum: string,
    schemaVersion: whole,
    restartable: boolean,
    workflowStatusListenerEnabled: boolean,
    inputParameters: texts,
    outputParameters: freeObject,
    timeoutPolicy: string,
    timeoutSeconds: whole,
  },
  { description: string, ownerEmail: string, failureWorkflow: string },
);

const executionSummaryModel = answerModel(
  "AgentExecutionSummary",
  {
    executionId: string,
    agentName: string,
    version: whole,
    status: string,
    startTime: string,
    updateTime: string,
    executionTime: whole,
    input: string,
    output: string,
  },
  { endTime: string, createdBy: string },
);
export const executionPageModel = answerModel("AgentExecutions", {
  totalHits: whole,
  results: listOf(executionSummaryModel),
});

const currentTaskModel = answerModel("AgentCurrentTask", {
  taskRefName: string,
  taskType: string,
  status: string,
  inputData: freeObject,
  outputData: freeObject,
});

const about = { executionId: string, agentName: string, version: whole, status: string };

export const detailModel = answerModel(
  "AgentExecutionDetail",
  { ...about, input: freeObject, output: freeObject },
  { currentTask: currentTaskModel },
);

const tokens = { promptTokens: whole, completionTokens: whole, totalTokens: whole };
const cost = {
  cost: { type: "number", description: "What is known of it; absent where no price is" },
  costCurrency: { type: "string", enum: ["USD"] },
};
const usageCost = {
  ...cost,
  unpricedModels: { ...texts, description: "Models that were asked and have no price: their cost is not in the sum" },
};

export const usageModel = answerModel("AgentTokenUsage", tokens, usageCost);

export const runUsageModel = answerModel("AgentRunUsage", tokens, {
  ...usageCost,
  calls: listOf(answerModel("AgentModelCall", { executionId: string, taskId: string, model: string, ...tokens }, cost)),
});

export const runModel = answerModel(
  "AgentRun",
  {
    ...about,
    startTime: whole,
    endTime: whole,
    input: freeObject,
    output: freeObject,
    tasks: listOf(
      answerModel(
        "AgentRunTask",
        { taskType: string, referenceTaskName: string, status: string, inputData: freeObject, outputData: freeObject },
        { subWorkflowId: string, ...cost },
      ),
    ),
  },
  { tokenUsage: usageModel },
);

const pendingToolModel = answerModel(
  "AgentPendingTool",
  { taskRefName: string, tool_name: { type: ["string", "null"] }, parameters: anything },
  {
    toolCalls: listOf(freeObject),
    response_schema: freeObject,
    response_ui_schema: freeObject,
    input: freeObject,
    executionId: string,
  },
);

export const statusModel = answerModel(
  "AgentStatus",
  {
    executionId: string,
    status: string,
    startTime: whole,
    isComplete: boolean,
    isRunning: boolean,
    isWaiting: boolean,
  },
  { endTime: whole, output: freeObject, reasonForIncompletion: string, pendingTool: pendingToolModel },
);

const withCost: Schema = {
  ...taskModel.schema,
  properties: { ...(taskModel.schema as { readonly properties: object }).properties, ...cost },
};

export const taskPageModel = answerModel("AgentTasks", {
  results: listOf(withCost),
  totalHits: whole,
  summary: mapOf(whole),
});

export const prunedModel = answerModel("PrunedAgents", { deleted: whole });
export const trackedModel = answerModel("TrackedAgent", { executionId: string });
export const trackedTaskModel = answerModel("TrackedTask", { taskId: string });

const skillFields = {
  name: string,
  version: string,
  checksum: string,
  status: string,
  createdAt: whole,
  updatedAt: whole,
  packageSize: whole,
  fileCount: whole,
};

export const skillSummaryModel = answerModel(
  "SkillSummary",
  { ...skillFields, scriptCount: whole, subAgentCount: whole, resourceCount: whole },
  { description: string },
);

export const skillDetailModel = answerModel(
  "SkillDetail",
  {
    ...skillFields,
    packageFileHandleId: string,
    storageType: string,
    files: listOf(answerModel("SkillPackageFile", { path: string, size: whole, sha256: string, contentType: string })),
    metadata: freeObject,
    rawConfig: freeObject,
  },
  { description: string },
);

export const skillFileModel = answerModel(
  "SkillFile",
  { path: string, contentType: string, size: whole, binary: boolean },
  { content: string, contentBase64: string },
);
