import { expect, test } from "vitest";
import { inline, setVariable, switchOn } from "./tasks.ts";
import { withUniqueReferences } from "./unique-references.ts";

test("a reference that comes again is numbered, and what follows means the new one", () => {
  const { tasks, outputParameters } = withUniqueReferences(
    [
      inline("a_b", "1"),
      setVariable("s1", { x: "${a_b.output.result}" }),
      switchOn("sw", "${s1.output.x}", {
        yes: [inline("a_b", "2"), setVariable("s2", { x: "${a_b.output.result}, ${a_bc.output}" })],
      }),
    ],
    { result: "${a_b.output.result}" },
  );
  expect(tasks.map((task) => task["taskReferenceName"])).toEqual(["a_b", "s1", "sw"]);
  expect(tasks[1]?.["inputParameters"]).toEqual({ x: "${a_b.output.result}" });
  expect(tasks[2]?.["decisionCases"]).toMatchObject({
    yes: [{ taskReferenceName: "a_b_2" }, { inputParameters: { x: "${a_b_2.output.result}, ${a_bc.output}" } }],
  });
  expect(outputParameters).toEqual({ result: "${a_b_2.output.result}" });
});
