/** One group of jq's test format: a program, an input and its expected outputs, or a program that must be rejected. */
export type SuiteCase = {
  readonly line: number;
  readonly program: string;
  readonly input: string;
  readonly outputs: readonly string[];
  readonly mustFailToCompile: boolean;
};

/** Groups are separated by blank lines; lines that start with "#" are comments. */
export function readSuite(text: string): SuiteCase[] {
  const cases: SuiteCase[] = [];
  let group: { readonly line: number; readonly text: string }[] = [];
  const finish = (): void => {
    const [first, second, ...rest] = group;
    group = [];
    if (first === undefined) return;
    const mustFailToCompile = first.text.startsWith("%%FAIL");
    const program = mustFailToCompile ? second : first;
    cases.push({
      line: program?.line ?? first.line,
      program: program?.text ?? "",
      input: mustFailToCompile ? "null" : (second?.text ?? "null"),
      outputs: mustFailToCompile ? [] : rest.map((entry) => entry.text),
      mustFailToCompile,
    });
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") finish();
    else if (!line.startsWith("#")) group.push({ line: index + 1, text: line });
  }
  finish();
  return cases;
}
