import type { Path } from "../paths.ts";
import type { Run } from "../run.ts";
import type { Filter } from "./filter.ts";

/**
 * What names mean while a program runs: a chain with one link for each variable, label and filter parameter in scope.
 * Links never change, so an environment can be held by any number of pending outputs. Where a name sits in the chain
 * is known when the program is compiled.
 */
export class Env {
  readonly run: Run;
  readonly parent: Env | undefined;
  readonly value: unknown;
  /** Set for a variable bound while paths are tracked, so that `$x` in `foreach ... ($x)` still leads to its place. */
  readonly path: Path | undefined;

  constructor(run: Run, parent: Env | undefined, value: unknown, path?: Path) {
    this.run = run;
    this.parent = parent;
    this.value = value;
    this.path = path;
  }

  bind(value: unknown): Env {
    return new Env(this.run, this, value);
  }
}

/** A filter passed as an argument, with the environment it was written in. */
export class Closure {
  readonly filter: Filter;
  readonly env: Env;

  constructor(filter: Filter, env: Env) {
    this.filter = filter;
    this.env = env;
  }
}

export function up(env: Env, hops: number): Env {
  let link: Env | undefined = env;
  for (let i = 0; i < hops && link !== undefined; i++) link = link.parent;
  if (link === undefined) throw new TypeError("Expected a name to be in scope");
  return link;
}

export function closureAt(env: Env, hops: number): Closure {
  const { value } = up(env, hops);
  if (!(value instanceof Closure)) throw new TypeError("Expected a filter parameter");
  return value;
}
