// A server with something on it: definitions, and executions in every state. Shared by the screenshots and by whoever
// wants to look around.
import { define, defineTask, simple, start, work } from "../test/support/scenes.ts";

const inline = (/** @type {string} */ ref, /** @type {string} */ expression, inputs = {}) => ({
  name: ref,
  taskReferenceName: ref,
  type: "INLINE",
  inputParameters: { evaluatorType: "graaljs", expression, ...inputs },
});

const order = [
  inline("price", "({ total: $.items * 12.5, currency: 'EUR' })", { items: "${workflow.input.items}" }),
  {
    name: "route",
    taskReferenceName: "route",
    type: "SWITCH",
    evaluatorType: "value-param",
    expression: "country",
    inputParameters: { country: "${workflow.input.country}" },
    decisionCases: {
      DE: [simple("invoice_de")],
      US: [simple("sales_tax"), simple("invoice_us")],
    },
    defaultCase: [simple("invoice_eu")],
  },
  {
    name: "prepare",
    taskReferenceName: "prepare",
    type: "FORK_JOIN",
    forkTasks: [
      [simple("reserve_stock"), simple("pack")],
      [simple("charge_card")],
      [
        {
          name: "notify_until_read",
          taskReferenceName: "notify_until_read",
          type: "DO_WHILE",
          evaluatorType: "graaljs",
          loopCondition: "(function () { return $.notify_until_read['iteration'] < 3; })()",
          inputParameters: { notify_until_read: "${notify_until_read.output}" },
          loopOver: [inline("send_mail", "({ sent: true })"), inline("was_read", "false")],
        },
      ],
    ],
  },
  {
    name: "prepared",
    taskReferenceName: "prepared",
    type: "JOIN",
    joinOn: ["pack", "charge_card", "notify_until_read"],
  },
  {
    name: "ship",
    taskReferenceName: "ship",
    type: "SUB_WORKFLOW",
    subWorkflowParam: { name: "shipping", version: 1 },
    inputParameters: { order: "${workflow.input}" },
  },
  { name: "confirm", taskReferenceName: "confirm", type: "HUMAN" },
];

const shipping = [
  inline("label", "({ tracking: 'DB-' + 10042 })"),
  simple("hand_over"),
  {
    name: "until_delivered",
    taskReferenceName: "until_delivered",
    type: "WAIT",
    inputParameters: { duration: "2 days" },
  },
];

const thumbnails = [
  inline("list", "({ files: 240 })"),
  {
    name: "each_file",
    taskReferenceName: "each_file",
    type: "FORK_JOIN_DYNAMIC",
    dynamicForkTasksParam: "tasks",
    dynamicForkTasksInputParamName: "inputs",
    inputParameters: { tasks: "${workflow.input.tasks}", inputs: "${workflow.input.inputs}" },
  },
  { name: "all_files", taskReferenceName: "all_files", type: "JOIN" },
];

/** @param {import("../test/support/server.ts").Server} server */
export async function fillServer(server) {
  const types = [
    "invoice_de",
    "invoice_us",
    "invoice_eu",
    "sales_tax",
    "reserve_stock",
    "pack",
    "charge_card",
    "hand_over",
    "resize",
  ];
  for (const type of types)
    await defineTask(server, type, type === "charge_card" ? { retryCount: 2, retryDelaySeconds: 0 } : {});
  await define(server, "shipping", shipping);
  await define(server, "order_fulfilment", order, { description: "From a paid basket to a delivered parcel" });
  await define(server, "thumbnails", thumbnails);
  await define(server, "nightly_report", [inline("collect", "({ rows: 1200 })"), inline("render", "'report.pdf'")]);

  await fillDefinitions(server);

  for (let i = 0; i < 30; i += 1) await start(server, "nightly_report", { day: i }, { correlationId: `report-${i}` });

  const countries = ["DE", "US", "FR"];
  /** @type {string[]} */
  const orders = [];
  for (let i = 0; i < 18; i += 1) {
    const input = { items: 1 + (i % 5), country: countries[i % 3], customer: { name: "Ada Lovelace", id: 4000 + i } };
    orders.push(
      await start(server, "order_fulfilment", input, { correlationId: `order-${10_000 + i}`, priority: i % 4 }),
    );
  }
  for (let i = 0; i < 3; i += 1) await work(server, "invoice_de", "COMPLETED", { outputData: { invoice: `INV-${i}` } });
  for (let i = 0; i < 3; i += 1) await work(server, "reserve_stock", "COMPLETED", { outputData: { shelf: `A${i}` } });
  for (let i = 0; i < 3; i += 1)
    await work(server, "invoice_eu", "FAILED", { reasonForIncompletion: "VAT id is not valid: DE0000" });
  return { orders };
}

/**
 * A second version, schedules, and an event handler with messages.
 * @param {import("../test/support/server.ts").Server} server
 */
async function fillDefinitions(server) {
  const gift = {
    name: "gift_card",
    taskReferenceName: "gift_card",
    type: "HTTP",
    inputParameters: { http_request: { uri: "http://cards.internal/print", method: "POST" } },
  };
  await define(server, "order_fulfilment", [...order, gift], {
    version: 2,
    description: "From a paid basket to a delivered parcel, with a card",
  });
  const schedules = [
    { name: "nightly-report", cronExpression: "0 30 2 * * MON-FRI", zoneId: "Europe/Paris" },
    { name: "stock-check", cronExpression: "0 */15 8-18 * * *", zoneId: "UTC" },
    { name: "month-end", cronExpression: "0 0 18 LW * *", zoneId: "America/New_York" },
  ];
  for (const schedule of schedules) {
    const startWorkflowRequest = { name: "nightly_report", version: 1, input: { kind: "full" } };
    await server.request("POST", "/scheduler/schedules", { ...schedule, startWorkflowRequest });
  }
  await server.request("PUT", "/scheduler/schedules/stock-check/pause?reason=inventory%20until%20Monday");
  for (let i = 0; i < 4; i += 1) await server.request("POST", "/scheduler/schedules/nightly-report/run");
  await server.request("POST", "/event", {
    name: "ship_paid_orders",
    event: "service:order_paid",
    condition: "$.orderId > 0",
    active: true,
    actions: [{ action: "start_workflow", start_workflow: { name: "shipping", input: { order: "${orderId}" } } }],
  });
  for (let i = 0; i < 6; i += 1) {
    const message = { event: "service:order_paid", payload: { orderId: i, customer: "Ada Lovelace" } };
    await server.request("POST", "/event/handleIncomingEvent", message);
  }
}

/**
 * Drives one execution to where the screenshots want it.
 * @param {import("../test/support/server.ts").Server} server
 */
export async function makeShowcase(server) {
  const id = await start(
    server,
    "order_fulfilment",
    { items: 3, country: "US", customer: { name: "Grace Hopper", id: 7 } },
    { correlationId: "order-10099", priority: 90 },
  );
  await workOn(server, id, "sales_tax", "COMPLETED", { outputData: { rate: 0.0725 } });
  await workOn(server, id, "invoice_us", "COMPLETED", { outputData: { invoice: "INV-2026-0042" } });
  await workOn(server, id, "reserve_stock", "COMPLETED", { outputData: { shelf: "B12" } });
  await workOn(server, id, "charge_card", "FAILED", { reasonForIncompletion: "card declined: insufficient funds" });
  await workOn(server, id, "charge_card", "COMPLETED", { outputData: { receipt: "ch_0042", amount: 37.5 } });
  return id;
}

/**
 * As `scenes.work`, on the task of one execution.
 * @param {import("../test/support/server.ts").Server} server
 * @param {string} id
 * @param {string} type
 * @param {string} status
 * @param {object} more
 */
async function workOn(server, id, type, status, more) {
  for (let i = 0; i < 40; i += 1) {
    const task = await work(server, type, "IN_PROGRESS");
    if (task.workflowInstanceId !== id) continue;
    await server.request("POST", "/tasks", {
      workflowInstanceId: id,
      taskId: task.taskId,
      workerId: "worker-7.eu-central",
      status,
      logs: [{ log: `taken by worker-7, order ${id.slice(0, 8)}` }, { log: `${type}: ${status.toLowerCase()}` }],
      ...more,
    });
    return;
  }
  throw new Error(`Expected a task of ${type} for ${id}`);
}

/**
 * A dynamic fork of many tasks, some of them done.
 * @param {import("../test/support/server.ts").Server} server
 * @param {number} count
 */
export async function makeFanOut(server, count, type = "resize") {
  const tasks = Array.from({ length: count }, (_, i) => ({
    name: type,
    taskReferenceName: `file_${i}`,
    type: "SIMPLE",
  }));
  const inputs = Object.fromEntries(
    tasks.map(({ taskReferenceName }, i) => [taskReferenceName, { file: `img-${i}.jpg` }]),
  );
  return await start(server, "thumbnails", { tasks, inputs });
}

/**
 * A loop of so many tasks, two in each iteration, all done but the one that everything waits for.
 * @param {import("../test/support/server.ts").Server} server
 * @param {number} count
 */
export async function makeLoop(server, count) {
  const iterations = Math.ceil(count / 2);
  await define(server, "polling", [
    {
      name: "until_done",
      taskReferenceName: "until_done",
      type: "DO_WHILE",
      loopCondition: `(function () { return $.until_done['iteration'] < ${iterations}; })()`,
      loopOver: [inline("look", "({ found: true })"), inline("note", "'noted'")],
    },
    { name: "confirm", taskReferenceName: "confirm", type: "HUMAN" },
  ]);
  return await start(server, "polling");
}

/**
 * A definition of so many tasks, all done but the last.
 * @param {import("../test/support/server.ts").Server} server
 * @param {number} count
 */
export async function makeSequence(server, count) {
  const tasks = Array.from({ length: count }, (_, i) => ({
    name: "step",
    taskReferenceName: `step_${i}`,
    type: "NOOP",
  }));
  await define(server, "long_march", [...tasks, { name: "confirm", taskReferenceName: "confirm", type: "HUMAN" }]);
  return await start(server, "long_march");
}

const supportTool = (/** @type {string} */ name, /** @type {string} */ description, more = {}) => ({
  name,
  description,
  toolType: "worker",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  ...more,
});

/**
 * Agents, and a run of one that waits for approval.
 * @param {import("../test/support/server.ts").Server} server
 * @param {import("../test/support/model.ts").Model} model
 */
export async function makeAgentRun(server, model) {
  const gpt = "openai/gpt-4o-mini";
  const support = {
    name: "support",
    model: gpt,
    instructions: "Help the customer. Look orders up before you answer. Refund only when asked to.",
    tools: [
      supportTool("find_order", "Finds an order by its number"),
      supportTool("refund", "Refunds an order", { approvalRequired: true }),
      { name: "ask_customer", description: "Asks the customer", toolType: "human", inputSchema: { type: "object" } },
    ],
    guardrails: [
      {
        name: "no_card_numbers",
        guardrailType: "regex",
        position: "output",
        onFail: "retry",
        patterns: ["\\b\\d{16}\\b"],
        message: "Never repeat a card number",
      },
    ],
    agents: [{ name: "billing", model: gpt, instructions: "Explain invoices." }],
  };
  const news = {
    name: "newsroom",
    strategy: "sequential",
    agents: [
      { name: "researcher", model: gpt, instructions: "Find facts." },
      { name: "writer", model: gpt, instructions: "Write." },
    ],
  };
  for (const agentConfig of [support, news]) await server.request("POST", "/agent/deploy", { agentConfig });
  const turns = [
    { calls: [{ name: "find_order", args: { id: "17" } }] },
    { calls: [{ name: "refund", args: { id: "17" } }] },
  ];
  model.answer(() => turns.shift() ?? { says: ["Done."] });
  /** @type {{ executionId: string }} */
  const { executionId } = await server.request("POST", "/agent/start", {
    name: "support",
    prompt: "Order 17 arrived broken. Please refund it.",
    sessionId: "customer-5",
  });
  await work(server, "find_order", "COMPLETED", { outputData: { id: "17", paid: true, total: 37.5, currency: "EUR" } });
  return executionId;
}

/**
 * A file of an execution, full of nothing.
 * @param {import("../test/support/server.ts").Server} server
 * @param {string} workflowId
 * @param {string} fileName
 * @param {string} contentType
 * @param {number} size in bytes
 */
export async function uploadTo(server, workflowId, fileName, contentType, size) {
  /** @type {{ fileHandleId: string, uploadUrl: string }} */
  const { fileHandleId, uploadUrl } = await server.request("POST", "/files", { workflowId, fileName, contentType });
  await fetch(uploadUrl, { method: "PUT", body: new Uint8Array(size) });
  await server.request("POST", `/files/${encodeURIComponent(fileHandleId)}/upload-complete`);
}
