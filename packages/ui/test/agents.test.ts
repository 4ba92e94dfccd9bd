import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Model, startModel } from "./support/model.ts";
import { work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

let model: Model;
const started = Promise.withResolvers<Model>();
beforeAll(async () => {
  model = await startModel();
  started.resolve(model);
});
afterAll(() => model.stop());

const ui = withUi({}, async () => ({
  ...(await started.promise).settings,
  "service.ai.prices": JSON.stringify({ "openai/gpt-4o*": { input: 1000, output: 2000 } }),
}));

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}`,
  toolType: "worker",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  ...more,
});

const support = {
  name: "support",
  model: "openai/gpt-4o-mini",
  instructions: "Help the customer.",
  tools: [tool("find_order"), tool("refund", { approvalRequired: true })],
};

async function start(agentConfig: object, prompt: string): Promise<string> {
  const { executionId } = await ui.server.request<{ executionId: string }>("POST", "/agent/start", {
    agentConfig,
    prompt,
    sessionId: "customer-5",
  });
  return executionId;
}

const turns = (page: Page) => page.getByRole("region", { name: "Turns" });

describe("agents", () => {
  test("one is written with help, looked at as a picture, deployed, run, and found again", async () => {
    const { page } = ui;
    model.answer(() => ({ says: ["Order 17 ", "is on its way."] }));
    await ui.open("/agents");
    await page.getByText("No agents yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New agent" }).click();
    const picture = page.getByRole("application");
    await picture.getByText("refund", { exact: true }).waitFor();
    await picture.getByText("worker, needs approval").waitFor();
    await page.getByText("No problems").waitFor();
    await expectAccessible(page);

    // What is half typed is asked about, and refused.
    ui.expectRefusal(400);
    const text = page.getByRole("textbox", { name: "The agent as JSON" });
    await text.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ ...support, strategy: "" }, null, 2));
    await page
      .getByText(/Expected strategy to be one of handoff, sequential/)
      .first()
      .waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(
      JSON.stringify({ ...support, agents: [{ name: "expert", model: "openai/gpt-4o-mini" }] }, null, 2),
    );
    await picture.getByText("expert", { exact: true }).waitFor();
    await page.getByText("No problems").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify(support, null, 2));
    await picture.getByText("expert", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.waitForURL("**/agents/support");

    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("textbox", { name: "Prompt" }).fill("Where is order 17?");
    await page.getByRole("textbox", { name: "Session id" }).fill("customer-5");
    await expectAccessible(page);
    await page.getByRole("tabpanel").getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL("**/agents/runs/*");
    await turns(page).getByText("Order 17 is on its way.").first().waitFor();
    await turns(page).getByRole("heading", { name: "Done" }).waitFor();
    await turns(page).getByText("18 tokens: 11 asked, 7 answered").waitFor();
    await page.getByText("Completed").first().waitFor();
    await expectAccessible(page);

    await ui.open("/agents/support?tab=runs");
    await page
      .getByRole("row", { name: /Where is order 17\?/ })
      .getByText("customer-5")
      .waitFor();
    await expectAccessible(page);
  });

  test("a changed agent gets the next version, and both can be compared", async () => {
    const { page, server } = ui;
    await server.request("POST", "/agent/deploy", { agentConfig: { ...support, name: "versioned" } });
    await ui.open("/agents/versioned");
    await page.getByText("No problems").waitFor();
    await page.getByRole("textbox", { name: "The agent as JSON" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(
      JSON.stringify({ ...support, name: "versioned", instructions: "Be brief." }, null, 2),
    );
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByRole("combobox", { name: "Version" }).getByText("Version 2, latest").waitFor({ state: "attached" });
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText('"Be brief."').waitFor();
    await page.getByText('"Help the customer."').waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete version 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted versioned version 2").waitFor();
    const { instructions } = await server.request<{ instructions: string }>("GET", "/agent/versioned");
    expect(instructions).toBe("Help the customer.");
  });
});

test("a skill is found among the skills, with its text and what is in its package", async () => {
  const { page, server } = ui;
  // There is no registry here, and the page says how to have one.
  ui.expectRefusal(404);
  await ui.open("/skills");
  await page.getByText("No skills yet").waitFor();
  await page.getByText("The registry of skills is switched off in this server").waitFor();
  await page.getByText("npm start -- --service.skills.enabled=true").waitFor();
  await expectAccessible(page);
  await page.getByText("Live", { exact: true }).waitFor();
  await server.request("POST", "/agent/deploy", {
    framework: "skill",
    rawConfig: {
      model: "openai/gpt-4o-mini",
      skillMd: "---\nname: haiku\ndescription: Writes haiku\n---\nWrite one haiku. See references/rules.md.",
      agentFiles: { critic: "Count the syllables." },
      scripts: { count: { filename: "count.py", language: "python" } },
      resourceFiles: ["references/rules.md"],
    },
  });
  const row = page.getByRole("row", { name: /haiku/ });
  await row.getByText("agent, version 1").waitFor();
  await expectAccessible(page);
  await row.getByRole("link", { name: "haiku" }).click();
  await page.waitForURL("**/agents/haiku?tab=skill");
  await page.getByText("Write one haiku. See references/rules.md.").waitFor();
  await page.getByText("Count the syllables.").waitFor();
  await page.getByText("count.py").waitFor();
  await page.getByText("references/rules.md", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Agent", exact: true }).click();
  await page.getByRole("application").getByText("haiku__count").waitFor();
  const text = page.getByRole("textbox", { name: "The agent as JSON" });
  const shorter = {
    model: "openai/gpt-4o-mini",
    skillMd: "---\nname: haiku\ndescription: Writes\n---\nWrite two haiku.",
  };
  await text.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(shorter, null, 2));
  await page.getByRole("application").getByText("haiku__count").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Deploy" }).click();
  await page.getByText("Saved haiku").waitFor();
  await page.waitForURL("**/agents/haiku");
  await page.getByRole("combobox", { name: "Version" }).getByText("Version 2, latest").waitFor({ state: "attached" });
});

describe("a run as turns", () => {
  test("approve an agent's tool call: the person approves and sees the run finish live", async () => {
    const { page, server } = ui;
    const rest = Promise.withResolvers<void>();
    let asked = 0;
    model.answer(() => {
      asked += 1;
      if (asked === 1) return { calls: [{ name: "refund", args: { id: "17" } }] };
      return { says: ["I have refunded ", rest.promise, "order 17."] };
    });
    const id = await start(support, "Please refund order 17");
    await ui.open(`/executions/${id}`);
    await page.getByRole("link", { name: "As turns" }).click();
    await page.waitForURL(`**/agents/runs/${id}`);
    await turns(page).getByText("Please refund order 17").waitFor();
    await turns(page).getByText("waits for you").waitFor();
    await turns(page).getByText('"17"').first().waitFor();
    await expectAccessible(page);
    await turns(page).getByRole("button", { name: "Approve" }).click();
    await turns(page).getByText("Approved").waitFor();
    await turns(page).getByText("being called").waitFor();
    await work(server, "refund", "COMPLETED", { outputData: { refunded: true } });
    await turns(page).getByText("refunded:").waitFor();
    // The model is in the middle of its sentence, and the first half is there.
    await turns(page).getByText("I have refunded", { exact: true }).waitFor();
    rest.resolve();
    await turns(page).getByText("I have refunded order 17.").first().waitFor();
    await turns(page).getByRole("heading", { name: "Done" }).waitFor();
    await page.getByText("Completed").first().waitFor();
    await turns(page).getByText("36 tokens: 22 asked, 14 answered").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "As tasks" }).click();
    await page.waitForURL(`**/executions/${id}`);
  });

  test("a refused tool call ends the run, with the reason", async () => {
    const { page } = ui;
    model.answer(() => ({ calls: [{ name: "refund", args: { id: "18" } }] }));
    const id = await start(support, "Please refund order 18");
    await ui.open(`/agents/runs/${id}`);
    await turns(page).getByRole("textbox", { name: "Reason" }).fill("The order is too old");
    await turns(page).getByRole("button", { name: "Reject" }).click();
    await turns(page).getByText("Rejected: The order is too old").waitFor();
    await turns(page).getByRole("heading", { name: "Rejected" }).waitFor();
    await page.getByText("Completed").first().waitFor();
    await expectAccessible(page);
  });

  test("a question of an agent is answered in words", async () => {
    const { page } = ui;
    let asked = 0;
    model.answer(({ input }) => {
      asked += 1;
      if (asked === 1) return { calls: [{ name: "ask", args: { question: "Which colour?" } }] };
      return { says: [JSON.stringify(input).includes("vermilion") ? "Vermilion it is." : "Whatever."] };
    });
    const ask = {
      name: "ask",
      description: "Asks the customer",
      toolType: "human",
      inputSchema: { type: "object", properties: { question: { type: "string" } } },
    };
    const id = await start({ ...support, name: "asker", tools: [ask] }, "A new bicycle");
    await ui.open(`/agents/runs/${id}`);
    await turns(page).getByText("Which colour?").first().waitFor();
    await turns(page).getByRole("textbox").first().fill("vermilion");
    await turns(page).getByRole("button", { name: "Answer" }).click();
    await turns(page).getByText("Vermilion it is.").first().waitFor();
    await expectAccessible(page);
  });

  test("one that ended before anyone looked is told from its beginning: guardrails, handoffs, runs inside", async () => {
    const { page, server } = ui;
    let said = 0;
    model.answer(({ instructions, input }) => {
      if (JSON.stringify([instructions, input]).includes("You write")) {
        said += 1;
        return { says: [said === 1 ? "Call 555-12 now" : "Call us now"] };
      }
      return { says: ["Fine."] };
    });
    const guardrail = {
      name: "no_numbers",
      guardrailType: "regex",
      position: "output",
      onFail: "retry",
      patterns: ["\\d{3}-\\d{2}"],
      message: "No telephone numbers",
    };
    const writer = {
      name: "writer",
      model: "openai/gpt-4o-mini",
      instructions: "You write.",
      guardrails: [guardrail],
    };
    const reader = { name: "reader", model: "openai/gpt-4o-mini", instructions: "You read." };
    const id = await start({ name: "press", strategy: "sequential", agents: [writer, reader] }, "An advertisement");
    for (;;) {
      const { isComplete } = await server.request<{ isComplete: boolean }>("GET", `/agent/${id}/status`);
      if (isComplete) break;
    }
    await ui.open(`/agents/runs/${id}`);
    await turns(page).getByText("Handed to writer").waitFor();
    await turns(page).getByText("no_numbers refused").waitFor();
    await turns(page).getByText("No telephone numbers").waitFor();
    await turns(page).getByText("no_numbers passed").waitFor();
    await turns(page).getByText("Handed to reader").waitFor();
    await turns(page).getByText("Call us now").first().waitFor();
    await turns(page).getByText("54 tokens").waitFor();
    await turns(page).getByRole("button", { name: "What it was asked" }).last().click();
    await turns(page).getByText('"You read."').waitFor();
    await expectAccessible(page);
    await turns(page).getByRole("link", { name: "a run inside" }).first().click();
    await turns(page).getByText("Call us now").first().waitFor();
    await turns(page).getByRole("heading", { name: "Done" }).waitFor();
  });

  test("it says what every turn and the whole cost, and of which model no price is known", async () => {
    const { page } = ui;
    model.answer(() => ({ says: ["Fine."] }));
    const cheap = { name: "cheap", model: "openai/gpt-4o-mini", instructions: "You write." };
    const unheard = { name: "unheard", model: "openai/gpt-of-tomorrow", instructions: "You read." };
    const known = await start({ ...cheap, name: "known" }, "How much?");
    await ui.open(`/agents/runs/${known}`);
    await turns(page).getByText("18 tokens: 11 asked, 7 answered · $0.025").waitFor();
    await turns(page)
      .getByText(/turn 1 · .* · 11 \+ 7 tokens · \$0\.025/)
      .waitFor();
    await expectAccessible(page);
    const mixed = await start({ name: "mixed", strategy: "sequential", agents: [cheap, unheard] }, "How much?");
    await ui.open(`/agents/runs/${mixed}`);
    const whole = "36 tokens: 22 asked, 14 answered · at least $0.025 · no price known for openai/gpt-of-tomorrow";
    await turns(page).getByText(whole).waitFor();
    await turns(page)
      .getByText(/turn 1 · .* · no price known for openai\/gpt-of-tomorrow/)
      .waitFor();
    await expectAccessible(page);
  });

  test("one with hundreds of events costs the page what a short one does; the earlier ones are at hand", async () => {
    const { page, server } = ui;
    const { executionId: id } = await server.request<{ executionId: string }>("POST", "/agent/execution", {
      workflowName: "far_away",
      input: { prompt: "Think for long" },
    });
    for (let i = 1; i <= 450; i += 1) {
      await server.request("POST", `/agent/events/${id}`, { type: "thinking", content: `thought ${i}.` });
    }
    await ui.open(`/agents/runs/${id}`);
    await turns(page).getByText("thought 450.").waitFor();
    expect(await turns(page).getByRole("listitem").count()).toBe(200);
    await turns(page).getByRole("button", { name: "Show 200 of 250 earlier" }).click();
    await turns(page).getByText("thought 51.").waitFor();
    await turns(page).getByRole("button", { name: "Show 50 of 50 earlier" }).click();
    await turns(page).getByText("thought 1.", { exact: true }).waitFor();
    await server.request("POST", `/agent/events/${id}`, { type: "thinking", content: "one more thought" });
    await turns(page).getByText("one more thought").waitFor();
  });

  test("an agent at work is told something, and let go after its turn", async () => {
    const { page, server } = ui;
    const heard: string[] = [];
    model.answer(({ input }) => {
      heard.push(JSON.stringify(input));
      return { calls: [{ name: "find_order", args: { id: "1" } }] };
    });
    const id = await start({ ...support, name: "busy" }, "Find everything");
    await ui.open(`/agents/runs/${id}`);
    await turns(page).getByText("being called").waitFor();
    await page.getByRole("textbox", { name: "Tell the agent something" }).fill("Only the blue ones");
    await page.getByRole("button", { name: "Tell it" }).click();
    await page.getByText("It hears this from its next turn on").waitFor();
    await work(server, "find_order", "COMPLETED", { outputData: { found: 1 } });
    await turns(page).getByText("tool, called").waitFor();
    await turns(page).getByText("being called").waitFor();
    expect(heard.at(-1)).toContain("Only the blue ones");
    await page.getByRole("button", { name: "Stop after this turn" }).click();
    await page.getByText("It ends after the turn it is in").waitFor();
    await work(server, "find_order", "COMPLETED", { outputData: { found: 2 } });
    await turns(page).getByRole("heading", { name: "Done" }).waitFor();
  });
});
