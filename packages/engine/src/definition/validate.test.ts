import { describe, expect, test } from "vitest";
import { findMissingFields } from "./missing.ts";
import { normalizeTaskDef, normalizeWorkflowDef } from "./normalize.ts";
import type { Problem } from "./problem.ts";
import { type ValidateOptions, validateTaskDef, validateWorkflowDef } from "./validate.ts";

const P = "validateWorkflowDef.arg0";
const noop = { name: "n", taskReferenceName: "n", type: "NOOP" };
const cases = { a: [noop] };

type Overrides = Partial<ValidateOptions>;

function validate(json: unknown, overrides: Overrides = {}): readonly Problem[] {
  const options = { prefix: P, strict: true, missing: findMissingFields(json), ...overrides };
  return inOrder(validateWorkflowDef(normalizeWorkflowDef(json), options));
}

const validateTasks = (tasks: readonly object[], overrides?: Overrides) => validate({ name: "w", tasks }, overrides);

/** The problems of a definition with this one entry, named and referenced `t`. */
const validateTask = (task: object, overrides?: Overrides) =>
  validateTasks([{ name: "t", taskReferenceName: "t", ...task }], overrides);

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const key = ({ path, message }: Problem) => `${path}\n${message}`;
  return problems.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

const atTask = (...messages: readonly string[]) => messages.map((message) => ({ path: `${P}.tasks[0]`, message }));

describe("the definition itself", () => {
  const tasks = [noop];

  test.each<[string, object, readonly Problem[]]>([
    ["a valid one has no problems", { name: "w", tasks }, []],
    ["no name", { tasks }, [{ path: `${P}.name`, message: "WorkflowDef name cannot be null or empty" }]],
    [
      "a name that is null",
      { name: null, tasks },
      [{ path: `${P}.name`, message: "WorkflowDef name cannot be null or empty" }],
    ],
    [
      "an empty name",
      { name: "", tasks },
      [{ path: `${P}.name`, message: "WorkflowDef name cannot be null or empty", invalidValue: "" }],
    ],
    ["no tasks", { name: "w" }, [{ path: `${P}.tasks`, message: "WorkflowTask list cannot be empty" }]],
    ["empty tasks", { name: "w", tasks: [] }, [{ path: `${P}.tasks`, message: "WorkflowTask list cannot be empty" }]],
    [
      "tasks that are null",
      { name: "w", tasks: null },
      [{ path: `${P}.tasks`, message: "WorkflowTask list cannot be empty" }],
    ],
    [
      "schema version 1",
      { name: "w", tasks, schemaVersion: 1 },
      [
        {
          path: `${P}.schemaVersion`,
          message: "workflowDef schemaVersion: 2 is only supported",
          invalidValue: "1",
        },
      ],
    ],
    ["an owner e-mail that is none", { name: "w", tasks, ownerEmail: "not-an-email" }, []],
    ["an empty owner e-mail", { name: "w", tasks, ownerEmail: "" }, []],
    ["a negative timeout and version 0", { name: "w", tasks, timeoutSeconds: -1, version: 0 }, []],
    ["a name with a colon", { name: "a:b", tasks }, []],
    ["output parameters that name nothing", { name: "w", tasks, outputParameters: { a: "${ghost.output.x}" } }, []],
    [
      "nothing at all",
      {},
      [
        { path: `${P}.name`, message: "WorkflowDef name cannot be null or empty" },
        { path: `${P}.tasks`, message: "WorkflowTask list cannot be empty" },
      ],
    ],
  ])("%s", (_, json, expected) => {
    expect(validate(json)).toEqual(expected);
  });

  test.each<[string, object, readonly Problem[]]>([
    ["left out", {}, [{ path: `${P}.ownerEmail`, message: "ownerEmail cannot be empty" }]],
    [
      "empty",
      { ownerEmail: "" },
      [{ path: `${P}.ownerEmail`, message: "ownerEmail cannot be empty", invalidValue: "" }],
    ],
    ["given", { ownerEmail: "x" }, []],
  ])("a mandatory owner e-mail %s", (_, json, expected) => {
    expect(validate({ name: "w", tasks, ...json }, { ownerEmailMandatory: true })).toEqual(expected);
  });

  test("the prefix stands before every path", () => {
    expect(validate({ name: "w", tasks: [] }, { prefix: "updateWorkflowDef.arg0[1]" })).toEqual([
      { path: "updateWorkflowDef.arg0[1].tasks", message: "WorkflowTask list cannot be empty" },
    ]);
  });
});

describe("the fields of an entry", () => {
  test.each<[string, object, readonly Problem[]]>([
    [
      "no name",
      { taskReferenceName: "a", type: "NOOP" },
      [{ path: `${P}.tasks[0].name`, message: "WorkflowTask name cannot be empty or null" }],
    ],
    [
      "an empty name",
      { name: "", taskReferenceName: "a", type: "NOOP" },
      [{ path: `${P}.tasks[0].name`, message: "WorkflowTask name cannot be empty or null", invalidValue: "" }],
    ],
    [
      "no reference name",
      { name: "a", type: "NOOP" },
      [
        {
          path: `${P}.tasks[0].taskReferenceName`,
          message: "WorkflowTask taskReferenceName name cannot be empty or null",
        },
      ],
    ],
    [
      "an empty reference name",
      { name: "a", taskReferenceName: "", type: "NOOP" },
      [
        {
          path: `${P}.tasks[0].taskReferenceName`,
          message: "WorkflowTask taskReferenceName name cannot be empty or null",
          invalidValue: "",
        },
      ],
    ],
    [
      "a negative start delay",
      { ...noop, startDelay: -3 },
      [
        {
          path: `${P}.tasks[0].startDelay`,
          message: "must be greater than or equal to 0",
          invalidValue: "-3",
        },
      ],
    ],
    [
      "an empty type",
      { ...noop, type: "" },
      [{ path: `${P}.tasks[0].type`, message: "WorkTask type cannot be null or empty", invalidValue: "" }],
    ],
    ["an unknown type", { ...noop, type: "WHATEVER" }, []],
    ["a type named like a property of every object", { ...noop, type: "constructor" }, []],
  ])("%s", (_, task, expected) => {
    expect(validateTasks([task])).toEqual(expected);
  });

  test("several mistakes are reported together", () => {
    const tasks = [
      { type: "NOOP" },
      { name: "d", taskReferenceName: "d", type: "DYNAMIC" },
      { name: "e", taskReferenceName: "e", type: "EVENT" },
    ];
    expect(validate({ version: 1, schemaVersion: 9, ownerEmail: "zz", tasks })).toEqual([
      { path: `${P}.name`, message: "WorkflowDef name cannot be null or empty" },
      { path: `${P}.schemaVersion`, message: "workflowDef schemaVersion: 2 is only supported", invalidValue: "9" },
      { path: `${P}.tasks[0].name`, message: "WorkflowTask name cannot be empty or null" },
      {
        path: `${P}.tasks[0].taskReferenceName`,
        message: "WorkflowTask taskReferenceName name cannot be empty or null",
      },
      {
        path: `${P}.tasks[1]`,
        message: "dynamicTaskNameParam field is required for taskType: DYNAMIC taskName: d",
      },
      { path: `${P}.tasks[2]`, message: "sink field is required for taskType: EVENT taskName: e" },
    ]);
  });
});

describe("an entry without a type", () => {
  const untyped = { name: "n", taskReferenceName: "n" };
  const message = "WorkTask type cannot be null or empty";

  test.each([
    ["absent", untyped],
    ["null", { ...untyped, type: null }],
  ])("is refused by a strict check: %s", (_, task) => {
    expect(validateTasks([task])).toEqual([{ path: `${P}.tasks[0].type`, message }]);
  });

  test("is refused inside a loop too", () => {
    const loop = { name: "d", taskReferenceName: "d", type: "DO_WHILE", loopCondition: "true", loopOver: [untyped] };
    expect(validateTasks([loop])).toEqual([{ path: `${P}.tasks[0].loopOver[0].type`, message }]);
  });

  test("is a worker task to registration", () => {
    expect(validateTasks([untyped], { strict: false })).toEqual([]);
  });
});

describe("the rules of a type", () => {
  const switchOn = (fields: object) => ({ type: "SWITCH", evaluatorType: "value-param", expression: "x", ...fields });
  const termination =
    "terminate task must have an terminationStatus parameter and must be set to COMPLETED or FAILED, taskName: t";

  test.each<[string, object, readonly string[]]>([
    ["EVENT without a sink", { type: "EVENT" }, ["sink field is required for taskType: EVENT taskName: t"]],
    ["EVENT with a sink", { type: "EVENT", sink: "service:x" }, []],
    [
      "SWITCH without evaluatorType",
      { type: "SWITCH", expression: "x", decisionCases: cases },
      ["evaluatorType field is required for taskType: SWITCH taskName: t"],
    ],
    [
      "SWITCH without expression",
      { type: "SWITCH", evaluatorType: "value-param", decisionCases: cases },
      ["expression field is required for taskType: SWITCH taskName: t"],
    ],
    [
      "SWITCH without cases",
      switchOn({}),
      ["decisionCases should have atleast one task for taskType: SWITCH taskName: t"],
    ],
    ["SWITCH with an unknown evaluator", switchOn({ evaluatorType: "zzz", decisionCases: cases }), []],
    ["SWITCH with a case of no tasks", switchOn({ decisionCases: { a: [] } }), []],
    [
      "DECISION without its subject",
      { type: "DECISION", decisionCases: cases },
      ["caseValueParam or caseExpression field is required for taskType: DECISION taskName: t"],
    ],
    [
      "DECISION without cases",
      { type: "DECISION", caseValueParam: "x" },
      ["decisionCases should have atleast one task for taskType: DECISION taskName: t"],
    ],
    ["DECISION by expression", { type: "DECISION", caseExpression: "1", decisionCases: cases }, []],
    [
      "DYNAMIC without its parameter",
      { type: "DYNAMIC" },
      ["dynamicTaskNameParam field is required for taskType: DYNAMIC taskName: t"],
    ],
    [
      "FORK_JOIN_DYNAMIC without parameters",
      { type: "FORK_JOIN_DYNAMIC" },
      [
        "dynamicForkTasksInputParamName field is required for taskType: FORK_JOIN_DYNAMIC taskName: t",
        "dynamicForkTasksParam field is required for taskType: FORK_JOIN_DYNAMIC taskName: t",
      ],
    ],
    [
      "FORK_JOIN_DYNAMIC without the tasks",
      { type: "FORK_JOIN_DYNAMIC", dynamicForkTasksInputParamName: "di" },
      ["dynamicForkTasksParam field is required for taskType: FORK_JOIN_DYNAMIC taskName: t"],
    ],
    [
      "FORK_JOIN_DYNAMIC without the inputs",
      { type: "FORK_JOIN_DYNAMIC", dynamicForkTasksParam: "dt" },
      ["dynamicForkTasksInputParamName field is required for taskType: FORK_JOIN_DYNAMIC taskName: t"],
    ],
    [
      "FORK_JOIN_DYNAMIC over forkTaskInputs",
      { type: "FORK_JOIN_DYNAMIC", inputParameters: { forkTaskInputs: [] } },
      [],
    ],
    ["FORK_JOIN_DYNAMIC of the old form", { type: "FORK_JOIN_DYNAMIC", dynamicForkJoinTasksParam: "x" }, []],
    [
      "FORK_JOIN_DYNAMIC of both forms",
      { type: "FORK_JOIN_DYNAMIC", dynamicForkJoinTasksParam: "x", dynamicForkTasksInputParamName: "di" },
      [
        "dynamicForkJoinTasksParam or combination of dynamicForkTasksInputParamName and dynamicForkTasksParam cam be used for taskType: FORK_JOIN_DYNAMIC taskName: t",
      ],
    ],
    [
      "HTTP without a request",
      { type: "HTTP" },
      ["inputParameters.http_request or inputParameters.uri field is required for taskType: HTTP taskName: t"],
    ],
    ["HTTP with a request", { type: "HTTP", inputParameters: { http_request: { method: "GET" } } }, []],
    ["HTTP with a uri", { type: "HTTP", inputParameters: { uri: "http://x" } }, []],
    ["HTTP with a method", { type: "HTTP", inputParameters: { method: "GET" } }, []],
    [
      "HTTP whose own task definition has the request",
      { type: "HTTP", taskDefinition: { name: "t", inputTemplate: { http_request: {} } } },
      [],
    ],
    [
      "FORK_JOIN without branches",
      { type: "FORK_JOIN" },
      ["forkTasks should have atleast one task for taskType: FORK_JOIN taskName: t"],
    ],
    ["FORK_JOIN without a JOIN", { type: "FORK_JOIN", forkTasks: [[noop]] }, []],
    [
      "TERMINATE that is optional",
      { type: "TERMINATE", optional: true, inputParameters: { terminationStatus: "TERMINATED" } },
      ["terminate task cannot be optional, taskName: t"],
    ],
    ["TERMINATE without a status", { type: "TERMINATE" }, [termination]],
    ["TERMINATE to MAYBE", { type: "TERMINATE", inputParameters: { terminationStatus: "MAYBE" } }, [termination]],
    [
      "TERMINATE by expression",
      { type: "TERMINATE", inputParameters: { terminationStatus: "${workflow.input.s}" } },
      [termination],
    ],
    ["TERMINATE to FAILED", { type: "TERMINATE", inputParameters: { terminationStatus: "FAILED" } }, []],
    [
      "KAFKA_PUBLISH without its request",
      { type: "KAFKA_PUBLISH" },
      ["inputParameters.kafka_request field is required for taskType: KAFKA_PUBLISH taskName: t"],
    ],
    [
      "STREAM_PUBLISH without its request",
      { type: "STREAM_PUBLISH" },
      ["inputParameters.stream_request field is required for taskType: STREAM_PUBLISH taskName: t"],
    ],
    ["KAFKA_PUBLISH with either request", { type: "KAFKA_PUBLISH", inputParameters: { stream_request: {} } }, []],
    ["STREAM_PUBLISH with either request", { type: "STREAM_PUBLISH", inputParameters: { kafka_request: {} } }, []],
    [
      "DO_WHILE without a condition",
      { type: "DO_WHILE", loopOver: [noop] },
      ["loopCondition field is required for taskType: DO_WHILE taskName: t"],
    ],
    [
      "DO_WHILE over nothing",
      { type: "DO_WHILE", loopCondition: "true" },
      ["loopOver field is required for taskType: DO_WHILE taskName: t"],
    ],
    [
      "DO_WHILE over items needs no condition",
      { type: "DO_WHILE", items: "${workflow.input.l}", loopOver: [noop] },
      [],
    ],
    [
      "DO_WHILE over _items needs none either",
      { type: "DO_WHILE", inputParameters: { _items: [] }, loopOver: [noop] },
      [],
    ],
    [
      "SUB_WORKFLOW without its parameter",
      { type: "SUB_WORKFLOW" },
      ["subWorkflowParam field is required for taskType: SUB_WORKFLOW taskName: t"],
    ],
    ["SUB_WORKFLOW with an empty parameter", { type: "SUB_WORKFLOW", subWorkflowParam: {} }, []],
    [
      "JSON_JQ_TRANSFORM without a query",
      { type: "JSON_JQ_TRANSFORM", inputParameters: { a: 1 } },
      ["inputParameters.queryExpression field is required for taskType: JSON_JQ_TRANSFORM taskName: t"],
    ],
    ["JSON_JQ_TRANSFORM with one", { type: "JSON_JQ_TRANSFORM", inputParameters: { queryExpression: "." } }, []],
    ["INLINE without anything", { type: "INLINE" }, []],
    ["START_WORKFLOW without anything", { type: "START_WORKFLOW" }, []],
    ["JOIN on an unknown task", { type: "JOIN", joinOn: ["ghost"] }, []],
    ["EXCLUSIVE_JOIN alone", { type: "EXCLUSIVE_JOIN", joinOn: ["ghost"] }, []],
    ["SET_VARIABLE without input", { type: "SET_VARIABLE" }, []],
    ["HUMAN", { type: "HUMAN" }, []],
  ])("%s", (_, task, messages) => {
    expect(validateTask(task)).toEqual(atTask(...messages));
  });

  test.each(["HTTP", "JSON_JQ_TRANSFORM", "KAFKA_PUBLISH", "STREAM_PUBLISH"])(
    "%s may find its input in the registered task definition of its name",
    (type) => {
      const inputTemplate = { http_request: {}, queryExpression: ".", kafka_request: {} };
      const registered = normalizeTaskDef({ name: "t", inputTemplate });
      const findTaskDef = (name: string) => (name === "t" ? registered : undefined);
      expect(validateTask({ type }, { findTaskDef })).toEqual([]);
      expect(validateTask({ type, name: "other" }, { findTaskDef })).toHaveLength(1);
    },
  );
});

describe("scripts", () => {
  const checkScript = (source: string) => (source === "1 +" ? "Unexpected end of input" : undefined);

  test.each<[string, object, readonly string[]]>([
    [
      "SWITCH of evaluator javascript",
      { type: "SWITCH", evaluatorType: "javascript", expression: "1 +", decisionCases: cases },
      ["Expression is not well formatted: Unexpected end of input, taskType: SWITCH taskName t"],
    ],
    [
      "DECISION",
      { type: "DECISION", caseExpression: "1 +", decisionCases: cases },
      ["Expression is not well formatted: Unexpected end of input, taskType: DECISION taskName t"],
    ],
    ["a good one", { type: "SWITCH", evaluatorType: "javascript", expression: "1 + 1", decisionCases: cases }, []],
    [
      "another evaluator",
      { type: "SWITCH", evaluatorType: "value-param", expression: "1 +", decisionCases: cases },
      [],
    ],
  ])("%s", (_, task, messages) => {
    expect(validateTask(task, { checkScript })).toEqual(atTask(...messages));
  });

  test("are not looked at without a checker", () => {
    expect(validateTask({ type: "DECISION", caseExpression: "1 +", decisionCases: cases })).toEqual([]);
  });
});

describe("WAIT", () => {
  const wait = (inputParameters: object, overrides?: Overrides) =>
    validateTask({ type: "WAIT", inputParameters }, overrides);
  const badDuration = "Either date or duration is passed as null ";
  const badUntil = "Unable to parse date ";

  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ duration: "1s" }, []],
    [{ duration: "" }, []],
    [{ duration: "  ", until: null }, []],
    [{ duration: "soon" }, [badDuration]],
    [{ duration: "1.5s" }, [badDuration]],
    [{ duration: "500ms" }, [badDuration]],
    [{ duration: 1 }, [badDuration]],
    [{ duration: { a: 1 } }, [badDuration]],
    [{ duration: "${workflow.input.d}" }, []],
    [{ until: "2030-01-01 10:00 PST" }, []],
    [{ until: "2030-01-01T10:00" }, [badUntil]],
    [{ until: "tomorrow" }, [badUntil]],
    [{ until: "${workflow.input.u}" }, []],
  ])("with %j", (inputParameters, messages) => {
    expect(wait(inputParameters)).toEqual(atTask(...messages));
  });

  test("with both inputs is refused by a strict check and left to run time by registration", () => {
    const both = { duration: "1s", until: "2030-01-01" };
    expect(wait(both)).toEqual(atTask("Both 'duration' and 'until' specified. Please provide only one input"));
    expect(wait(both, { strict: false })).toEqual([]);
  });
});

describe("reference names", () => {
  const named = (taskReferenceName: string, fields: object = {}) => ({ ...noop, taskReferenceName, ...fields });
  const repeated = (reference: string) => ({
    path: P,
    message: `taskReferenceName: ${reference} should be unique across tasks for a given workflowDefinition: w`,
  });

  test("must be unique, and each is reported once", () => {
    expect(validateTasks([named("a"), named("a"), named("a"), named("b"), named("b"), named("c")])).toEqual([
      repeated("a"),
      repeated("b"),
    ]);
  });

  test.each([
    ["a case", { decisionCases: { x: [named("a")] } }],
    ["the default case", { defaultCase: [named("a")] }],
    ["a branch", { forkTasks: [[named("b")], [named("a")]] }],
    ["a loop", { loopOver: [named("a")] }],
    ["a loop in a branch", { forkTasks: [[named("b", { loopOver: [named("a")] })]] }],
  ])("must be unique in the whole tree: %s", (_, fields) => {
    expect(validateTasks([named("a"), named("outer", fields)])).toEqual([repeated("a")]);
  });

  test("left out twice is not a repetition", () => {
    expect(
      validateTasks([
        { name: "n", type: "NOOP" },
        { name: "n", type: "NOOP" },
      ]).map(({ path }) => path),
    ).toEqual([`${P}.tasks[0].taskReferenceName`, `${P}.tasks[1].taskReferenceName`]);
  });
});

describe("expressions in the input of top-level tasks", () => {
  const withInput = (inputParameters: object, overrides?: Overrides) =>
    validateTasks(
      [
        { name: "t", taskReferenceName: "t", type: "NOOP", inputParameters },
        { ...noop, taskReferenceName: "loop", loopOver: [{ ...noop, taskReferenceName: "inner" }] },
      ],
      overrides,
    );
  const undefinedName = (name: string, key: string, whole: string) => ({
    path: P,
    message: `taskReferenceName: ${name} for given task: t input value: ${key} of input parameter: ${whole} is not defined in workflow definition.`,
  });
  const invalid = (key: string, path: string) => ({
    path: P,
    message: `key: ${key} input parameter value: ${path} is not valid`,
  });

  test.each<[object, readonly Problem[]]>([
    [{ x: "${ghost.output.y}" }, [undefinedName("ghost", "x", "${ghost.output.y}")]],
    [{ x: "${name}" }, [undefinedName("name", "x", "${name}")]],
    [{ x: "a ${ghost.x} b" }, [undefinedName("ghost", "x", "a ${ghost.x} b")]],
    [{ x: "${$.a}" }, [undefinedName("$", "x", "${$.a}")]],
    [{ x: "${ghost__1.output}" }, [undefinedName("ghost__1", "x", "${ghost__1.output}")]],
    [{ x: "${g1.a}${g2.b}" }, [undefinedName("g1", "x", "${g1.a}${g2.b}"), undefinedName("g2", "x", "${g1.a}${g2.b}")]],
    [{ x: { y: { z: "${ghost.a}" } } }, [undefinedName("ghost", "z", "${ghost.a}")]],
    [
      { x: [1, ["${ghost.a}"], { y: "${ghost.b}" }] },
      [undefinedName("ghost", "x", "${ghost.a}"), undefinedName("ghost", "y", "${ghost.b}")],
    ],
    [{ x: ["${ghost.a}", "${ghost.a}"] }, [undefinedName("ghost", "x", "${ghost.a}")]],
    [{ x: "${bad name.output}" }, [invalid("x", "bad name.output")]],
    [{ x: "${}" }, [invalid("x", "")]],
    [{ x: "${workflow.input.}" }, [invalid("x", "workflow.input.")]],
    [{ x: "${workflow.input[abc]}" }, [invalid("x", "workflow.input[abc]")]],
    [{ x: "${ghost.${bad name}}" }, [invalid("x", "bad name")]],
  ])("%j", (inputParameters, expected) => {
    expect(withInput(inputParameters)).toEqual(expected);
  });

  test("pass when they name the workflow, a task anywhere in the tree, or an iteration of one", () => {
    const whole = "${workflow.input} ${t.output.a} ${inner.output.b} ${inner__2.output} ${loop.output.iteration} ${t }";
    expect(withInput({ whole })).toEqual([]);
  });

  test("pass in every form the path language has", () => {
    expect(
      withInput({
        arrNeg: "${workflow.input.a[-1]}",
        slice: "${workflow.input.a[0:2]}",
        wild: "${workflow.input.objs[*].id}",
        filter: "${workflow.input.objs[?(@.id==2)].name}",
        len: "${workflow.input.a.length()}",
        escaped: "$${ghost.output}",
        key: { "${ghost}": 1 },
        dollar: "$5",
        open: "${ghost.s",
        inner: "${workflow.input.${workflow.input.s}}",
        quoted: "${workflow.input['a s']}",
        braces: '{"x": {"y": ${workflow.input.s}}}',
        number: 7,
        list: [1, "x", null],
        secret: "${workflow.secrets.NOPE}",
      }),
    ).toEqual([]);
  });

  test("pass when they name something of the server's environment", () => {
    const inputParameters = { a: "${CPEWF_TASK_ID}", b: "${NETFLIX_ENV}", c: "${NETFLIX_STACK}", d: "${REGION}" };
    expect(withInput(inputParameters, { knownEnvironment: (name) => name === "REGION" })).toEqual([]);
    expect(withInput(inputParameters)).toEqual([undefinedName("REGION", "d", "${REGION}")]);
  });

  test("are not looked at in nested tasks", () => {
    const nested = { ...noop, inputParameters: { x: "${ghost.a}" } };
    expect(validateTask({ type: "FORK_JOIN", forkTasks: [[nested]] })).toEqual([]);
    expect(validateTask({ type: "DO_WHILE", loopCondition: "1", loopOver: [nested] })).toEqual([]);
  });
});

describe("nested tasks", () => {
  const bad = { name: "", taskReferenceName: "bad", type: "EVENT" };
  const at = (path: string) => [
    { path: `${P}.tasks[0].${path}`, message: "sink field is required for taskType: EVENT taskName: " },
    { path: `${P}.tasks[0].${path}.name`, message: "WorkflowTask name cannot be empty or null", invalidValue: "" },
  ];

  test.each<[string, object, readonly Problem[]]>([
    ["in a case", { decisionCases: { c: [noop, bad] } }, at("decisionCases[c].<map value>[1]")],
    ["in the default case", { defaultCase: [bad] }, at("defaultCase[0]")],
    ["in a branch", { forkTasks: [[noop], [bad]] }, at("forkTasks[1].<list element>[0]")],
    [
      "two levels down",
      { defaultCase: [{ ...noop, forkTasks: [[bad]] }] },
      at("defaultCase[0].forkTasks[0].<list element>[0]"),
    ],
    ["in a loop are not checked", { loopOver: [bad] }, []],
    ["in an inline sub-workflow are not checked", { subWorkflowParam: { workflowDefinition: { tasks: [bad] } } }, []],
    ["an embedded task definition is not checked", { taskDefinition: { retryCount: -1 } }, []],
  ])("%s", (_, fields, expected) => {
    expect(validateTask({ type: "NOOP", ...fields })).toEqual(expected);
  });
});

describe("size", () => {
  const manyTasks = (count: number, task: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => ({
      name: `task_${index}`,
      taskReferenceName: `ref_${index}`,
      type: "SIMPLE",
      ...task(index),
    }));

  test("ten thousand tasks are checked in well under a second", () => {
    const tasks = manyTasks(10_000, (index) => ({
      inputParameters: { a: `\${ref_${index}.output.x}`, b: { c: ["${workflow.input.y} and ${workflow.input.z}"] } },
    }));
    const def = normalizeWorkflowDef({ name: "w", tasks });
    const startedAt = performance.now();
    expect(validateWorkflowDef(def, { prefix: P, strict: true })).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  test("no more than a thousand problems are reported", () => {
    expect(validateTasks(manyTasks(10_000, () => ({ type: "EVENT" })))).toHaveLength(1000);
  });

  test("long texts are cut where a message repeats them, and long names where a path does", () => {
    const long = "x".repeat(100_000);
    const input = Array.from({ length: 2000 }, (_, index) => `\${g${index}.a}`).join("") + long;
    const task = { name: long, inputParameters: { [long]: input }, decisionCases: { [long]: [{}] } };
    const problems = validateTask({ type: "NOOP", ...task });
    expect(problems).toHaveLength(1000);
    expect(JSON.stringify(problems).length).toBeLessThan(3_000_000);
  });
});

describe("task definitions", () => {
  const path = "registerTaskDef.arg0[0]";
  const check = (json: object, ownerEmailMandatory = false) =>
    validateTaskDef(normalizeTaskDef(json), { prefix: path, missing: findMissingFields(json), ownerEmailMandatory });

  test.each<[object, readonly Problem[]]>([
    [{ name: "t" }, []],
    [{ retryCount: 1 }, [{ path: `${path}.name`, message: "TaskDef name cannot be null or empty" }]],
    [{ name: "" }, [{ path: `${path}.name`, message: "TaskDef name cannot be null or empty", invalidValue: "" }]],
    [
      { name: "t", retryCount: -1 },
      [{ path: `${path}.retryCount`, message: "TaskDef retryCount: 0 must be >= 0", invalidValue: "-1" }],
    ],
    [
      { name: "t", backoffScaleFactor: 0 },
      [
        {
          path: `${path}.backoffScaleFactor`,
          message: "Backoff scale factor. Applicable for LINEAR_BACKOFF",
          invalidValue: "0",
        },
      ],
    ],
    [
      { name: "t", maxRetryDelaySeconds: -2 },
      [
        {
          path: `${path}.maxRetryDelaySeconds`,
          message: "TaskDef maxRetryDelaySeconds: 0 must be >= 0",
          invalidValue: "-2",
        },
      ],
    ],
    [
      { name: "t", backoffJitterMs: -1 },
      [{ path: `${path}.backoffJitterMs`, message: "TaskDef backoffJitterMs: 0 must be >= 0", invalidValue: "-1" }],
    ],
    [
      { name: "t", pollTimeoutSeconds: -1 },
      [
        {
          path: `${path}.pollTimeoutSeconds`,
          message: "TaskDef pollTimeoutSeconds: 0 must be >= 0",
          invalidValue: "-1",
        },
      ],
    ],
    [
      { name: "t", totalTimeoutSeconds: -1 },
      [
        {
          path: `${path}.totalTimeoutSeconds`,
          message: "TaskDef totalTimeoutSeconds: 0 must be >= 0",
          invalidValue: "-1",
        },
      ],
    ],
    [
      { name: "t", responseTimeoutSeconds: -1 },
      [
        {
          path: `${path}.responseTimeoutSeconds`,
          message: "TaskDef responseTimeoutSeconds: -1 should be minimum 1 second",
          invalidValue: "-1",
        },
      ],
    ],
    [
      { name: "t", timeoutSeconds: 10, responseTimeoutSeconds: 20 },
      [{ path, message: "TaskDef: t responseTimeoutSeconds: 20 must be less than timeoutSeconds: 10" }],
    ],
    [
      { name: "t", timeoutSeconds: 100, responseTimeoutSeconds: 5, totalTimeoutSeconds: 10 },
      [{ path, message: "TaskDef: t timeoutSeconds: 100 must be less than or equal to totalTimeoutSeconds: 10" }],
    ],
    [{ name: "t", responseTimeoutSeconds: 0 }, []],
    [{ name: "t", timeoutSeconds: 10 }, []],
    [{ name: "t", timeoutSeconds: 10, responseTimeoutSeconds: 0 }, []],
    [{ name: "t", timeoutSeconds: 10, responseTimeoutSeconds: 10 }, []],
    [{ name: "t", timeoutSeconds: 0, responseTimeoutSeconds: 60 }, []],
    [{ name: "t", timeoutSeconds: -5, responseTimeoutSeconds: 60 }, []],
    [{ name: "t", timeoutSeconds: 10, totalTimeoutSeconds: 10 }, []],
    [{ name: "t", concurrentExecLimit: -1, rateLimitPerFrequency: -1, retryCount: 11 }, []],
    [{ name: "a:b", ownerEmail: "x" }, []],
  ])("%j", (json, expected) => {
    expect(check(json)).toEqual(expected);
  });

  test("a mandatory owner e-mail must be there", () => {
    const problem = { path: `${path}.ownerEmail`, message: "ownerEmail cannot be empty" };
    expect(check({ name: "t" }, true)).toEqual([problem]);
    expect(check({ name: "t", ownerEmail: "" }, true)).toEqual([{ ...problem, invalidValue: "" }]);
    expect(check({ name: "t", ownerEmail: "x" }, true)).toEqual([]);
  });
});
