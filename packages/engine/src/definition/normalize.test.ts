import { describe, expect, test } from "vitest";
import { DefinitionFormatError } from "./fields.ts";
import { normalizeTaskDef, normalizeWorkflowDef, normalizeWorkflowTask } from "./normalize.ts";

const plainTask = {
  inputParameters: {},
  type: "SIMPLE",
  decisionCases: {},
  defaultCase: [],
  forkTasks: [],
  startDelay: 0,
  joinOn: [],
  optional: false,
  defaultExclusiveJoinTask: [],
  asyncComplete: false,
  loopOver: [],
  onStateChange: {},
  permissive: false,
  metadata: {},
};

const plainTaskDef = {
  createTime: 0,
  updateTime: 0,
  retryCount: 3,
  timeoutSeconds: 0,
  inputKeys: [],
  outputKeys: [],
  runtimeMetadata: [],
  timeoutPolicy: "TIME_OUT_WF",
  retryLogic: "FIXED",
  retryDelaySeconds: 60,
  responseTimeoutSeconds: 0,
  inputTemplate: {},
  rateLimitPerFrequency: 0,
  rateLimitFrequencyInSeconds: 1,
  backoffScaleFactor: 1,
  maxRetryDelaySeconds: 0,
  backoffJitterMs: 0,
  totalTimeoutSeconds: 0,
  taskStatusListenerEnabled: true,
  enforceSchema: false,
};

const plainDef = {
  createTime: 0,
  updateTime: 0,
  version: 1,
  tasks: [],
  inputParameters: [],
  outputParameters: {},
  schemaVersion: 2,
  restartable: true,
  workflowStatusListenerEnabled: false,
  timeoutPolicy: "ALERT_ONLY",
  timeoutSeconds: 0,
  variables: {},
  inputTemplate: {},
  enforceSchema: true,
  metadata: {},
  maskedFields: [],
};

describe("a definition that says nothing reads back with the defaults", () => {
  test("of a workflow", () => {
    const def = normalizeWorkflowDef({ name: "w", tasks: [{ name: "t", taskReferenceName: "a", type: "SIMPLE" }] });
    expect(def).toStrictEqual({
      ...plainDef,
      name: "w",
      tasks: [{ ...plainTask, name: "t", taskReferenceName: "a" }],
    });
  });

  test("of a task definition, where no timeout is the default", () => {
    expect(normalizeTaskDef({ name: "t" })).toStrictEqual({ ...plainTaskDef, name: "t" });
  });

  test("of an empty object, with empty names", () => {
    expect(normalizeWorkflowDef({})).toStrictEqual({ ...plainDef, name: "" });
    expect(normalizeTaskDef({})).toStrictEqual({ ...plainTaskDef, name: "" });
    expect(normalizeWorkflowTask({})).toStrictEqual({ ...plainTask, name: "", taskReferenceName: "" });
  });
});

test("every field of a workflow definition is kept", () => {
  const def = {
    ...plainDef,
    ownerApp: "app",
    createTime: 1_700_000_000_000,
    updateTime: 1_700_000_000_001,
    createdBy: "me",
    updatedBy: "you",
    name: "w",
    description: "d",
    version: 7,
    inputParameters: ["x"],
    outputParameters: { y: "${s.output.y}", n: null },
    failureWorkflow: "f",
    failureWorkflowVersion: 3,
    restartable: false,
    workflowStatusListenerEnabled: true,
    workflowStatusListenerSink: "service:x",
    ownerEmail: "owner@example.com",
    timeoutPolicy: "TIME_OUT_WF",
    timeoutSeconds: -1,
    variables: { v: [null] },
    inputTemplate: { t: null },
    rateLimitConfig: { rateLimitKey: "k", concurrentExecLimit: 2, policy: "REJECT" },
    inputSchema: { createTime: 0, updateTime: 0, name: "s", version: 1, type: "JSON", data: { a: null } },
    outputSchema: { createTime: 0, updateTime: 0, version: 2, externalRef: "r" },
    enforceSchema: false,
    metadata: { classifier: "X" },
    cacheConfig: { key: "k", ttlInSecond: 5 },
    maskedFields: ["m"],
  };
  expect(normalizeWorkflowDef(def)).toStrictEqual(def);
});

test("every field of a task entry is kept", () => {
  const inner = { ...plainTask, name: "n", taskReferenceName: "n" };
  const task = {
    ...plainTask,
    name: "t",
    taskReferenceName: "r",
    description: "d",
    inputParameters: { a: null, b: { c: [null] } },
    type: "WHATEVER",
    dynamicTaskNameParam: "p",
    caseValueParam: "v",
    caseExpression: "e",
    scriptExpression: "s",
    decisionCases: { z: [inner], a: [] },
    defaultCase: [inner],
    dynamicForkJoinTasksParam: "j",
    dynamicForkTasksParam: "f",
    dynamicForkTasksInputParamName: "i",
    forkTasks: [[inner], []],
    startDelay: 5,
    subWorkflowParam: {
      name: "sub",
      version: 2,
      taskToDomain: { "*": "d" },
      workflowDefinition: "${workflow.input.def}",
      idempotencyKey: "k",
      idempotencyStrategy: "RETURN_EXISTING",
      priority: "${workflow.input.p}",
    },
    joinOn: ["n"],
    joinStatus: "x",
    joinMode: "ASYNC",
    sink: "service:x",
    optional: true,
    permissive: true,
    taskDefinition: { ...plainTaskDef, name: "t" },
    rateLimited: false,
    defaultExclusiveJoinTask: ["n"],
    asyncComplete: true,
    loopCondition: "c",
    loopOver: [inner],
    items: "${workflow.input.list}",
    retryCount: 0,
    evaluatorType: "graaljs",
    expression: "1",
    onStateChange: { onSuccess: [{ type: "event", payload: { p: null } }, {}] },
    cacheConfig: { key: "k", ttlInSecond: 0 },
    metadata: { a: 1 },
  };
  expect(normalizeWorkflowTask(task)).toStrictEqual(task);
});

test("every field of a task definition is kept", () => {
  const def = {
    ...plainTaskDef,
    ownerApp: "app",
    createdBy: "",
    updatedBy: "you",
    name: "t",
    description: "d",
    retryCount: 0,
    retryLogic: "LINEAR_BACKOFF",
    retryDelaySeconds: 1,
    backoffScaleFactor: 2,
    maxRetryDelaySeconds: 9,
    backoffJitterMs: 10,
    timeoutSeconds: 100,
    timeoutPolicy: "RETRY",
    responseTimeoutSeconds: 3600,
    pollTimeoutSeconds: 0,
    totalTimeoutSeconds: 1000,
    inputKeys: ["a"],
    outputKeys: ["b"],
    inputTemplate: { k: null },
    runtimeMetadata: ["SECRET"],
    concurrentExecLimit: 0,
    rateLimitPerFrequency: 10,
    rateLimitFrequencyInSeconds: 5,
    isolationGroupId: "g",
    executionNameSpace: "ns",
    ownerEmail: "x",
    baseType: "HTTP",
    inputSchema: { createTime: 0, updateTime: 0, version: 1, type: "AVRO" },
    outputSchema: { createTime: 0, updateTime: 0, version: 1, type: "PROTOBUF" },
    enforceSchema: true,
    taskStatusListenerEnabled: false,
  };
  expect(normalizeTaskDef(def)).toStrictEqual(def);
});

describe("scalars are taken leniently", () => {
  test.each([
    ["a number in quotes", { version: "3" }, { version: 3 }],
    ["a number in quotes with blanks", { version: " -3 " }, { version: -3 }],
    ["a fraction, cut off", { version: 2.7, timeoutSeconds: -2.7 }, { version: 2, timeoutSeconds: -2 }],
    ["a small negative fraction, as plain zero", { version: -0.5 }, { version: 0 }],
    ["a boolean in quotes", { restartable: "false", enforceSchema: "TRUE" }, { restartable: false }],
    ["a number for a boolean", { restartable: 0 }, { restartable: false }],
    ["null for a number", { version: null, schemaVersion: null }, { version: 0, schemaVersion: 0 }],
    ["null for a boolean", { restartable: null, enforceSchema: null }, { restartable: false, enforceSchema: false }],
    ["empty text for a number or boolean", { version: "", restartable: "" }, { version: 0, restartable: false }],
    ["a number or boolean for text", { name: 5, description: true }, { name: "5", description: "true" }],
    ["null for an enum", { timeoutPolicy: null }, { timeoutPolicy: "ALERT_ONLY" }],
    ["null for a list", { tasks: null, maskedFields: null }, { tasks: [], maskedFields: [] }],
    ["null for a map", { metadata: null, variables: null }, { metadata: {}, variables: {} }],
    ["a time beyond 32 bits", { createTime: 1_700_000_000_000 }, { createTime: 1_700_000_000_000 }],
  ])("%s", (_, json, expected) => {
    expect(normalizeWorkflowDef(json)).toMatchObject(expected);
  });

  test("null for a number of a task definition is 0 where it must have one and none where it need not", () => {
    const def = normalizeTaskDef({ retryCount: null, concurrentExecLimit: null, rateLimitFrequencyInSeconds: null });
    expect(def).toMatchObject({ retryCount: 0, rateLimitFrequencyInSeconds: 1 });
    expect(def).not.toHaveProperty("concurrentExecLimit");
  });
});

test("what is null is left out, inside objects too", () => {
  const def = normalizeWorkflowDef({
    name: "w",
    description: null,
    rateLimitConfig: null,
    inputSchema: { name: null },
  });
  expect(def).toStrictEqual({
    ...plainDef,
    name: "w",
    inputSchema: { createTime: 0, updateTime: 0, version: 1 },
  });
});

test("null fields of a task entry give what absent ones give", () => {
  const fields = ["type", "inputParameters", "decisionCases", "forkTasks", "joinOn", "metadata", "subWorkflowParam"];
  const task = { name: "t", taskReferenceName: "r", ...Object.fromEntries(fields.map((field) => [field, null])) };
  expect(normalizeWorkflowTask(task)).toStrictEqual({ ...plainTask, name: "t", taskReferenceName: "r" });
});

test("unknown properties are dropped at every level", () => {
  const def = normalizeWorkflowDef({
    name: "w",
    surprise: 1,
    tasks: [{ name: "t", taskReferenceName: "r", tags: [] }],
  });
  expect(def).not.toHaveProperty("surprise");
  expect(def.tasks[0]).not.toHaveProperty("tags");
});

test("free maps are kept as they are", () => {
  const inputParameters = JSON.parse('{"a": null, "__proto__": {"b": [null, 1.5]}, "": 0}');
  expect(normalizeWorkflowTask({ inputParameters }).inputParameters).toBe(inputParameters);
});

test("decision cases keep their order and any name", () => {
  const task = normalizeWorkflowTask(JSON.parse('{"decisionCases": {"z": [], "__proto__": [], "a": []}}'));
  expect(Object.keys(task.decisionCases)).toEqual(["z", "__proto__", "a"]);
});

describe("an inline sub-workflow definition", () => {
  const withDefinition = (workflowDefinition: unknown) =>
    normalizeWorkflowTask({ subWorkflowParam: { name: "other", version: 9, workflowDefinition } }).subWorkflowParam;

  test("is normalized and gives its name and version", () => {
    expect(withDefinition({ name: "inner", tasks: [] })).toStrictEqual({
      name: "inner",
      version: 1,
      workflowDefinition: { ...plainDef, name: "inner" },
    });
  });

  test("may be an expression", () => {
    expect(withDefinition("${workflow.input.def}")?.workflowDefinition).toBe("${workflow.input.def}");
  });

  test.each([
    ["other text", "inner", "workflowDefinition is a string, but not a valid DSL string"],
    ["a number", 5, "workflowDefinition must be either null, or WorkflowDef, or a valid DSL string"],
    ["a list", [], "workflowDefinition must be either null, or WorkflowDef, or a valid DSL string"],
  ])("may not be %s", (_, workflowDefinition, message) => {
    expect(() => withDefinition(workflowDefinition)).toThrow(
      new DefinitionFormatError("subWorkflowParam.workflowDefinition", message),
    );
  });
});

describe("a wrong shape is refused with its place, what was expected and what was found", () => {
  test.each([
    [null, "Expected the definition to be an object, got null"],
    [[], "Expected the definition to be an object, got a list"],
    ["x", 'Expected the definition to be an object, got "x"'],
    [{ tasks: "no" }, 'Expected tasks to be a list, got "no"'],
    [{ tasks: [null] }, "Expected tasks[0] to be an object, got null"],
    [{ timeoutPolicy: "SOMETHING" }, 'Expected timeoutPolicy to be one of TIME_OUT_WF, ALERT_ONLY, got "SOMETHING"'],
    [{ timeoutPolicy: "alert_only" }, 'Expected timeoutPolicy to be one of TIME_OUT_WF, ALERT_ONLY, got "alert_only"'],
    [{ version: "abc" }, 'Expected version to be an integer, got "abc"'],
    [{ version: "2.7" }, 'Expected version to be an integer, got "2.7"'],
    [{ version: true }, "Expected version to be an integer, got true"],
    [{ version: 3e9 }, "Expected version to be an integer of at most 2147483647, got 3000000000"],
    [{ restartable: "maybe" }, 'Expected restartable to be a boolean, got "maybe"'],
    [{ name: {} }, "Expected name to be a string, got an object"],
    [{ inputParameters: {} }, "Expected inputParameters to be a list, got an object"],
    [{ inputParameters: ["a", null] }, "Expected inputParameters[1] to be a string, got null"],
    [{ outputParameters: [] }, "Expected outputParameters to be an object, got a list"],
    [{ tasks: [{}, { startDelay: {} }] }, "Expected tasks[1].startDelay to be an integer, got an object"],
    [
      { tasks: [{ decisionCases: { a: [{ joinMode: "X" }] } }] },
      'Expected tasks[0].decisionCases[a][0].joinMode to be one of SYNC, ASYNC, got "X"',
    ],
    [{ tasks: [{ forkTasks: [[{ joinOn: 1 }]] }] }, "Expected tasks[0].forkTasks[0][0].joinOn to be a list, got 1"],
    [
      { tasks: [{ taskDefinition: { retryLogic: "SOMETIMES" } }] },
      'Expected tasks[0].taskDefinition.retryLogic to be one of FIXED, EXPONENTIAL_BACKOFF, LINEAR_BACKOFF, got "SOMETIMES"',
    ],
  ])("%j", (json, message) => {
    expect(() => normalizeWorkflowDef(json)).toThrow(DefinitionFormatError);
    expect(() => normalizeWorkflowDef(json)).toThrow(message);
  });

  test("with the place of the definition in the request", () => {
    expect(() => normalizeTaskDef({ retryCount: "abc" }, "[1]")).toThrow(
      'Expected [1].retryCount to be an integer, got "abc"',
    );
  });

  test("with long text cut short", () => {
    expect(() => normalizeWorkflowDef({ version: "x".repeat(10_000) })).toThrow(/got "x{80}…"$/);
  });
});

describe("nesting has an end", () => {
  const nest = (levels: number, wrap: (inner: unknown) => unknown, core: unknown = {}) => {
    let json = core;
    for (let level = 0; level < levels; level++) json = wrap(json);
    return json;
  };

  test.each([
    ["tasks in default cases", (inner: unknown) => ({ name: "t", defaultCase: [inner] })],
    ["tasks in branches", (inner: unknown) => ({ name: "t", forkTasks: [[inner]] })],
    ["lists in a free map", (inner: unknown) => ({ inputParameters: { a: [inner] } })],
  ])("ten thousand levels of %s are refused", (_, wrap) => {
    const json = { name: "deep", tasks: [nest(10_000, wrap)] };
    expect(() => normalizeWorkflowDef(json)).toThrow("Expected the definition to nest at most 1000 levels, got more");
  });

  test("hundreds of levels are taken", () => {
    const json = { name: "deep", tasks: [nest(400, (inner) => ({ name: "t", defaultCase: [inner] }))] };
    expect(normalizeWorkflowDef(json).tasks).toHaveLength(1);
  });
});
