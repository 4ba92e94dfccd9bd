import { getAt, getPath, sliceBounds } from "./access.ts";
import { add } from "./arithmetic.ts";
import { JqError } from "./errors.ts";
import type { Run } from "./run.ts";
import { compare, equals, isArray, isObject, type JsonObject, kindOf, setKey } from "./values.ts";

/**
 * A value changed at many paths. Each container is copied once, at its first change, and written in place after that:
 * copying it at every change made `.[] |= f` quadratic. What was handed out by `get` must not change afterwards, so
 * reading a container of ours gives all of them up. A container is ours only while all above it are, hence a value that
 * is not ours holds nothing of ours.
 */
export class Draft {
  #root: unknown;
  readonly #run: Run;
  readonly #ours = new Set<object>();

  constructor(root: unknown, run: Run) {
    this.#root = root;
    this.#run = run;
  }

  get result(): unknown {
    return this.#root;
  }

  get(keys: readonly unknown[]): unknown {
    let value = this.#root;
    for (const key of keys) {
      if (value === null) return null;
      value = getAt(value, key, this.#run);
    }
    if (typeof value === "object" && value !== null && this.#ours.has(value)) this.#ours.clear();
    return value;
  }

  set(keys: readonly unknown[], value: unknown): void {
    this.#root = this.#setBelow(this.#root, keys, 0, value);
  }

  delete(keys: readonly unknown[]): void {
    this.#root = deletePaths(this.#root, [keys], this.#run);
    this.#ours.clear();
  }

  add(value: unknown): void {
    this.#root = this.#sum(this.#root, value);
  }

  addAt(keys: readonly unknown[], value: unknown): void {
    this.set(keys, this.#sum(getPath(this.#root, keys, this.#run), value));
  }

  /** A sum of arrays or objects is ours to add to in place the next time. */
  #sum(left: unknown, right: unknown): unknown {
    if (isArray(left) && isArray(right) && this.#ours.has(left)) {
      this.#run.checkArray(right.length);
      for (const item of right) left.push(item);
      return left;
    }
    if (isObject(left) && isObject(right) && this.#ours.has(left)) {
      this.#run.step();
      for (const key of Object.keys(right)) setKey(left, key, right[key]);
      return left;
    }
    const sum = add(left, right, this.#run);
    const isNew = sum !== left && sum !== right;
    return isNew && typeof sum === "object" && sum !== null ? this.#adopt(sum) : sum;
  }

  #setBelow(target: unknown, keys: readonly unknown[], at: number, value: unknown): unknown {
    if (at === keys.length) return value;
    const key = keys[at];
    const child = this.#setBelow(getAt(target, key, this.#run), keys, at + 1, value);
    return this.#put(target ?? null, key, child);
  }

  #put(target: unknown, key: unknown, child: unknown): unknown {
    if (typeof key === "string" && (isObject(target) || target === null)) {
      const object = target === null ? this.#adopt({}) : this.#ownObject(target);
      this.#run.chargeText(key.length);
      setKey(object, key, child);
      return object;
    }
    if (typeof key === "number" && (isArray(target) || target === null)) {
      const array = target === null ? this.#adopt([]) : this.#ownArray(target);
      setElement(array, key, child, this.#run);
      return array;
    }
    if (isObject(key) && (isArray(target) || target === null)) {
      return this.#adopt(replaceSlice(target ?? [], key, child, this.#run));
    }
    if (isObject(key) && typeof target === "string") throw new JqError("Cannot update string slices");
    const index = isArray(key) ? "array" : "object";
    throw new JqError(`Cannot update field at ${index} index of ${kindOf(target)}`);
  }

  #ownObject(object: JsonObject): JsonObject {
    if (this.#ours.has(object)) return object;
    const copy = { ...object };
    this.#run.chargeObject(Object.keys(copy).length);
    return this.#adopt(copy);
  }

  #ownArray(array: unknown[]): unknown[] {
    if (this.#ours.has(array)) return array;
    this.#run.charge(array.length);
    return this.#adopt(array.slice());
  }

  #adopt<T extends object>(container: T): T {
    this.#ours.add(container);
    return container;
  }
}

export function setPath(value: unknown, path: unknown, replacement: unknown, run: Run): unknown {
  if (!isArray(path)) throw new JqError("Path must be specified as an array");
  const draft = new Draft(value, run);
  draft.set(path, replacement);
  return draft.result;
}

function setElement(array: unknown[], index: number, value: unknown, run: Run): void {
  if (Number.isNaN(index)) throw new JqError("Cannot set array element at NaN index");
  const whole = Math.trunc(index);
  const at = whole < 0 ? whole + array.length : whole;
  if (at < 0) throw new JqError("Out of bounds negative array index");
  if (at >= 1 << 29) throw new JqError("Array index too large");
  if (at > array.length) {
    run.checkArray(at);
    run.allocate(at - array.length);
    for (let i = array.length; i < at; i++) array.push(null);
  }
  array[at] = value;
}

function replaceSlice(array: readonly unknown[], slice: JsonObject, items: unknown, run: Run): unknown[] {
  const { start, end } = sliceBounds(slice, array.length, "array");
  if (!isArray(items)) throw new JqError("A slice of an array can only be assigned another array");
  run.checkArray(array.length + items.length);
  return [...array.slice(0, start), ...items, ...array.slice(end)];
}

/** Deletes all paths at once: indices mean positions before any deletion. */
export function deletePaths(value: unknown, paths: unknown, run: Run): unknown {
  if (!isArray(paths)) throw new JqError("Paths must be specified as an array");
  const lists = paths.map((path) => {
    if (!isArray(path)) throw new JqError("Path must be specified as an array");
    return path;
  });
  run.allocate(lists.length);
  lists.sort((a, b) => compare(a, b, run));
  const [first] = lists;
  if (first === undefined) return value;
  return first.length === 0 ? null : deleteSorted(value, lists, 0, run);
}

/** `paths` are sorted, so those with a common key lie together and a shorter path comes before those it covers. */
function deleteSorted(value: unknown, paths: readonly unknown[][], depth: number, run: Run): unknown {
  const doomed: unknown[] = [];
  const draft = new Draft(value, run);
  for (let i = 0; i < paths.length; ) {
    const path = paths[i] ?? [];
    const key = path[depth];
    let next = i + 1;
    while (next < paths.length && equals(paths[next]?.[depth], key, run)) next += 1;
    if (path.length === depth + 1) {
      doomed.push(key);
    } else {
      const child = getAt(draft.result, key, run);
      if (child !== null) draft.set([key], deleteSorted(child, paths.slice(i, next), depth + 1, run));
    }
    i = next;
  }
  return deleteKeys(draft.result, doomed, run);
}

function deleteKeys(value: unknown, keys: readonly unknown[], run: Run): unknown {
  if (value === null || keys.length === 0) return value;
  if (isArray(value)) return deleteElements(value, keys, run);
  if (!isObject(value)) throw new JqError(`Cannot delete fields from ${kindOf(value)}`);
  const object = { ...value };
  run.chargeObject(Object.keys(object).length);
  for (const key of keys) {
    if (typeof key !== "string") throw new JqError(`Cannot delete ${kindOf(key)} field of object`);
    delete object[key];
  }
  return object;
}

function deleteElements(array: readonly unknown[], keys: readonly unknown[], run: Run): unknown[] {
  const doomed = new Set<number>();
  for (const key of keys) {
    if (typeof key === "number") {
      const whole = Math.trunc(key);
      doomed.add(whole < 0 ? whole + array.length : whole);
    } else if (isObject(key)) {
      const { start, end } = sliceBounds(key, array.length, "array");
      run.charge(end - start);
      for (let i = start; i < end; i++) doomed.add(i);
    } else {
      throw new JqError(`Cannot delete ${kindOf(key)} element of array`);
    }
  }
  run.charge(array.length);
  return array.filter((_, i) => !doomed.has(i));
}
