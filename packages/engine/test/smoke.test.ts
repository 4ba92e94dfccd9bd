import { expect, test } from "vitest";
import { aWorkflow, inline, once, repeat, simple, subWorkflow } from "./builders.ts";
import { simulate } from "./simulate.ts";

test("smoke", () => {
  const run = simulate(
    aWorkflow()
      .simple("a")
      .fork([simple("x")], [simple("y", { optional: true, retryCount: 0 })])
      .join("j", ["x", "y"])
      .output({ r: "${j.output}" }),
  ).start({ q: 1 });
  run.complete("a").complete("x", { v: 1 }).fail("y");
  console.log(run.status, run.list, run.output, run.task("j"));
  const r2 = simulate(
    aWorkflow().add(repeat("l", 3, [inline("i", "$.n*2", { n: "${l.output.iteration}" })])),
    {},
  ).start();
  console.log(r2.status, r2.list, r2.output, r2.task("l").output);
  const r3 = simulate(aWorkflow().add(subWorkflow("s", "kid")), {
    workflows: [aWorkflow("kid").add(once("k")).def],
  }).start();
  console.log(r3.list, r3.child("s").list);
  r3.child("s").fail("k");
  console.log(r3.list, r3.reason);
  r3.child("s").retry();
  console.log(r3.list, r3.reason, r3.logs("s"));
  expect(1).toBe(1);
});
