import { afterAll, expect, test } from "vitest";
import { aSandbox, value } from "./scripts.ts";

const sandbox = aSandbox({ inlineWaitMs: 100 });
afterAll(() => sandbox.close());

const input = JSON.stringify({ a: 1, lp: { iteration: 3 }, n: 5 });

// About 30 microseconds a call on an idle machine; the bound only catches a change of kind, such as a new context or a
// new compilation for each call.
test.each([
  ["$.a + 1", "2"],
  ["(function(){ return $.lp['iteration'] < $.n; })()", "true"],
])("%s takes well under a millisecond of processor time, both threads together", async (source, text) => {
  for (let i = 0; i < 500; i++) {
    await sandbox.evaluate(source, input);
  }
  const calls = 2000;
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) {
    expect(await sandbox.evaluate(source, input)).toEqual(value(text));
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / calls).toBeLessThan(400);
});
