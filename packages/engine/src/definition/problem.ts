/** One entry of `validationErrors`. `invalidValue` is the text form of a scalar and absent for anything else. */
export type Problem = { readonly path: string; readonly message: string; readonly invalidValue?: string };

/** Takes a problem whose path is relative to the definition; "" is the definition itself. */
export type Report = (problem: Problem) => void;

// A small body can hold far more mistakes than anyone reads; without an end, an answer could outgrow the memory.
const maxProblems = 1000;

/** The problems a check reports: with `prefix` before every path, identical ones merged, a thousand at most. */
export function collectProblems(prefix: string, check: (report: Report) => void): readonly Problem[] {
  const problems = new Map<string, Problem>();
  check((problem) => {
    if (problems.size === maxProblems) return;
    const path = problem.path === "" ? prefix : `${prefix}.${problem.path}`;
    problems.set(JSON.stringify([path, problem.message, problem.invalidValue]), { ...problem, path });
  });
  return [...problems.values()];
}

const maxPathLength = 2000;

/**
 * The path of a task or list of tasks one step below. At a length nobody reads it stops growing and ends in `…`: with
 * names of any length in them, ten thousand paths would cost more than the definition itself.
 */
export function below(path: string, step: string): string {
  if (path.endsWith("…")) return path;
  return path.length + step.length > maxPathLength ? `${path}…` : path + step;
}

/** The caller's own words, cut so that a message repeated for each of a thousand mistakes stays affordable. */
export function clip(words: string): string {
  return words.length > 500 ? `${words.slice(0, 500)}…` : words;
}
