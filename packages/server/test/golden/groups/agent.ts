import { nobody, type Session } from "../recorder/session.ts";

type Json = Record<string, unknown>;
type Entry = {
  readonly taskReferenceName: string;
  readonly type: string;
  readonly decisionCases?: Record<string, readonly Entry[]>;
  readonly defaultCase?: readonly Entry[];
  readonly forkTasks?: readonly (readonly Entry[])[];
  readonly loopOver?: readonly Entry[];
};

/** The agent interface. What agents compile to is compared task by task elsewhere; here only what stands where. */
export async function agent(session: Session): Promise<void> {
  const { name, record, normal, label, prefix } = session;
  const model = "mistral/test-model";
  const anAgent = (stem: string, more: Json = {}): Json => ({
    name: name(stem),
    model,
    instructions: "Be brief.",
    ...more,
  });
  const inputSchema = { type: "object", properties: { q: { type: "string" } } };
  const aTool = (stem: string, more: Json): Json => ({
    name: name(stem),
    description: `tool ${stem}`,
    inputSchema,
    ...more,
  });
  const worker = aTool("t1", { toolType: "worker" });
  const compile = (title: string, body: Json) =>
    record(`compile: ${title}`, "POST", "/agent/compile", {
      body,
      shape: ({ json, status }) => (status === 200 ? compiled(normal(json) as Json) : normal(json)),
    });

  await compile("simple", { agentConfig: anAgent("a1") });
  await compile("worker tool", { agentConfig: anAgent("a2", { tools: [worker] }) });
  await compile("worker tool with approval", {
    agentConfig: anAgent("a3", { tools: [{ ...worker, approvalRequired: true }] }),
  });
  const config = { url: "http://127.0.0.1:9/x", method: "POST", headers: { A: "${NAME}" } };
  await compile("http tool", {
    agentConfig: anAgent("a4", {
      tools: [aTool("t_http", { toolType: "http", config })],
      maxTurns: 3,
      temperature: 0.2,
      maxTokens: 50,
      timeoutSeconds: 30,
    }),
  });
  await compile("human tool", { agentConfig: anAgent("a5", { tools: [aTool("t_h", { toolType: "human" })] }) });
  const guardrail = { name: "g1", guardrailType: "regex", position: "output", onFail: "retry", mode: "block" };
  await compile("regex guardrail", {
    agentConfig: anAgent("a6", {
      guardrails: [{ ...guardrail, patterns: ["secret"], message: "no", maxRetries: 2 }],
    }),
  });
  const schema = { type: "object", properties: { x: { type: "number" } } };
  await compile("output schema", { agentConfig: anAgent("a7", { outputType: { schema, className: "X" } }) });
  const agents = [anAgent("sub1"), anAgent("sub2")];
  for (const strategy of ["handoff", "sequential", "parallel", "router", "round_robin", "random", "swarm"]) {
    const router = strategy === "router" ? { router: anAgent("rt") } : {};
    await compile(`strategy ${strategy}`, { agentConfig: anAgent(`a_${strategy}`, { strategy, agents, ...router }) });
  }
  await compile("bare model", { agentConfig: { ...anAgent("b1"), model: "gpt-test" } });
  await compile("empty model", { agentConfig: { ...anAgent("b2"), model: "" } });
  await compile("no model", { agentConfig: { name: name("b3") } });
  await compile("bad name", { agentConfig: { ...anAgent("b4"), name: "1 bad" } });
  await compile("no name", { agentConfig: { model: "mistral/x" } });
  await compile("unknown strategy", { agentConfig: anAgent("b5", { strategy: "zzz", agents: [anAgent("s1")] }) });
  await compile("empty body", {});
  await compile("by unknown name", { name: name("ghost") });
  await compile("two ways at once", { name: name("ghost"), agentConfig: anAgent("a1") });
  await compile("framework without config", { framework: "openai" });
  await compile("unknown framework", { framework: "zzz", rawConfig: { name: name("fw") } });
  await compile("framework openai", {
    framework: "openai",
    rawConfig: { name: name("fw"), model: "gpt-test", instructions: "x", tools: [] },
  });

  const deployed = anAgent("a2", { tools: [worker] });
  await record("deploy", "POST", "/agent/deploy", { body: { agentConfig: deployed } });
  await record("deploy bare model", "POST", "/agent/deploy", {
    body: { agentConfig: { ...anAgent("b1"), model: "gpt-test" } },
  });
  await record("get deployed", "GET", `/agent/${name("a2")}`);
  await record("get unknown", "GET", `/agent/${name("ghost")}`);
  await record("compiled definition", "GET", `/agent/definitions/${name("a2")}`, {
    shape: ({ json }) => tasksIn((normal(json) as { readonly tasks: readonly Entry[] }).tasks),
  });
  await record("list", "GET", "/agent/list", {
    shape: ({ json }) =>
      (normal((json as { name: string }[]).filter((one) => one.name.startsWith(prefix))) as Json[]).map((one) => ({
        ...one,
        checksum: /^[0-9a-f]{64}$/.test(String(one["checksum"])) ? "<sha256>" : one["checksum"],
      })),
  });
  await record("generated tool task definition", "GET", `/metadata/taskdefs/${name("t1")}`);

  await record("start (provider without key)", "POST", "/agent/start", {
    body: { name: name("a2"), prompt: "hi", sessionId: "s-1" },
    after: ({ json }) => label((json as { executionId: string }).executionId, "agent_run"),
  });
  const page = (await session.send("GET", `/agent/executions?agentName=${name("a2")}`)).json as {
    readonly results: readonly { readonly executionId: string }[];
  };
  const id = String(page.results[0]?.executionId);
  await record("status", "GET", `/agent/${id}/status`);
  await record("execution detail", "GET", `/agent/executions/${id}`, {
    shape: ({ json }) => withoutCurrent(normal(json) as Json),
  });
  await record("execution tasks", "GET", `/agent/executions/${id}/tasks`, {
    shape: ({ json }) => beforeModel((json as { results: readonly Json[] }).results, normal),
  });
  await record("run object", "GET", `/agent/execution/${id}`, {
    shape: ({ json }) => {
      const { tasks, ...run } = json as Json & { readonly tasks: readonly Json[] };
      return { ...(normal(run) as Json), tasks: beforeModel(tasks, normal) };
    },
  });
  await record("executions list", "GET", `/agent/executions?agentName=${name("a2")}`);
  await record("executions search", "GET", `/agent/executions/search?query=workflowType%3D'${name("a2")}'`);
  await record("respond finished", "POST", `/agent/${id}/respond`, { body: { approved: true } });
  await record("pause finished", "PUT", `/agent/${id}/pause`);
  await record("signal finished", "POST", `/agent/${id}/signal`, { body: { message: "x" } });
  await record("stop finished", "POST", `/agent/${id}/stop`);
  await record("cancel finished", "DELETE", `/agent/${id}/cancel?reason=x`);
  await record("delete record", "DELETE", `/agent/executions/${id}/record`);
  await record("start inline with no prompt", "POST", "/agent/start", { body: { agentConfig: anAgent("a9") } });
  await record("start unknown", "POST", "/agent/start", { body: { name: name("ghost"), prompt: "x" } });
  await record("start empty", "POST", "/agent/start", { body: {} });

  const unknown: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ["GET", "/agent/{id}/status"],
    ["GET", "/agent/executions/{id}"],
    ["GET", "/agent/executions/{id}/full"],
    ["GET", "/agent/executions/{id}/tasks"],
    ["GET", "/agent/execution/{id}"],
    ["POST", "/agent/{id}/respond", { approved: true }],
    ["POST", "/agent/{id}/signal", { message: "m" }],
    ["PUT", "/agent/{id}/pause"],
    ["PUT", "/agent/{id}/resume"],
    ["POST", "/agent/{id}/stop"],
    ["DELETE", "/agent/{id}/cancel"],
    ["DELETE", "/agent/executions/{id}/record"],
    ["POST", "/agent/executions/{id}/retry"],
    ["POST", "/agent/executions/{id}/restart"],
  ];
  for (const [method, path, body] of unknown)
    await record(`unknown run: ${method} ${path}`, method, path.replace("{id}", nobody), { body });
  await record("bulk pause", "PUT", "/agent/executions/bulk/pause", { body: [nobody] });
  await record("bulk terminate", "POST", "/agent/executions/bulk/terminate?reason=x", { body: [nobody] });
  await record("prune", "POST", "/agent/executions/prune?olderThanDays=365");
  await record("inspect-plan empty", "POST", "/agent/inspect-plan", { body: {} });
  await record("inspect-plan", "POST", "/agent/inspect-plan", {
    body: {
      agentConfig: anAgent("p1", { tools: [worker] }),
      plan: { steps: [{ id: "one", operations: [{ tool: name("t1"), args: { q: "x" } }] }] },
    },
  });
  await record("delete agent", "DELETE", `/agent/${name("a2")}`);
  await record("delete agent again", "DELETE", `/agent/${name("a2")}`);

  const plain = { text: "value", contentType: "text/plain" };
  await record("secrets list GET", "GET", "/secrets");
  await record("secrets list POST", "POST", "/secrets");
  await record("secrets v2", "GET", "/secrets/v2");
  await record("secret put", "PUT", "/secrets/MY_KEY", plain);
  await record("secret put bad key", "PUT", "/secrets/bad%20key!", plain);
  await record("secret exists", "GET", "/secrets/MY_KEY/exists");
  await record("secret get unknown", "GET", "/secrets/NOPE");
  await record("secret delete", "DELETE", "/secrets/NOPE");
}

/** What was compiled: where every task stands. */
const compiled = ({ workflowDef, requiredWorkers }: Json): Json => {
  const { tasks, name, version, timeoutSeconds, timeoutPolicy, inputParameters, outputParameters } =
    workflowDef as Json & { readonly tasks: readonly Entry[] };
  return {
    name,
    version,
    timeoutSeconds,
    timeoutPolicy,
    inputParameters,
    outputParameters: Object.keys(outputParameters as Json).sort(),
    tasks: tasksIn(tasks),
    requiredWorkers,
  };
};

const tasksIn = (tasks: readonly Entry[], place = ""): string[] =>
  tasks.flatMap(
    ({ taskReferenceName: ref, type, decisionCases = {}, defaultCase = [], forkTasks = [], loopOver = [] }) => [
      `${place}${ref} ${type}`,
      ...Object.entries(decisionCases).flatMap(([value, inner]) => tasksIn(inner, `${place}${ref}[${value}] > `)),
      ...tasksIn(defaultCase, `${place}${ref}[] > `),
      ...forkTasks.flatMap((inner, index) => tasksIn(inner, `${place}${ref}[${index}] > `)),
      ...tasksIn(loopOver, `${place}${ref} > `),
    ],
  );

const withoutCurrent = ({ currentTask, ...detail }: Json): Json => ({
  ...detail,
  currentTask: (currentTask as Json | undefined)?.["taskRefName"],
});

/** The tasks before the model is asked, whatever becomes of that. */
const beforeModel = (tasks: readonly Json[], normal: (value: unknown) => unknown): unknown =>
  tasks
    .filter(({ taskType }) => taskType !== "LLM_CHAT_COMPLETE")
    .map(({ taskType, referenceTaskName, status, outputData }) =>
      normal({ taskType, referenceTaskName, status, outputData }),
    );
