import { isJsonObject, type Json } from "../json.ts";
import { parsed } from "./raw-json.ts";
import { isLazy, type Node, wholeOf } from "./scope.ts";

/** The members of `$` a script reads, each with the paths below it; `[]` is the member as a whole. */
export type ScriptPaths = "all" | ReadonlyMap<string, readonly (readonly string[])[]>;

/**
 * Finds what a script reads of `$`, so that it is given no more than that: `$.lp['iteration'] < $.n` reads
 * `lp.iteration` and `n`. It scans, it does not parse: every `$` is read as code, in strings and comments too, where it
 * only adds paths that are not needed. Whatever could read `$` in a way the text does not show gives "all".
 *
 * A missed read would make a script see undefined, so a doubt always ends a path early (the whole value there) or gives
 * "all". Linear: no path is read beyond the next `$`.
 */
export function scriptPaths(source: string): ScriptPaths {
  if (hiddenReads.test(source)) return "all";
  const found = new Map<string, string[][]>();
  for (let at = source.indexOf("$"); at !== -1; at = source.indexOf("$", at + 1)) {
    // `${` opens the hole of a template literal; what is inside is scanned like everything else.
    if (source[at + 1] === "{" || isPartOfName(source, at)) continue;
    const [name, ...path] = readChain(source, at + 1);
    if (name === undefined) return "all";
    const paths = found.get(name);
    if (paths === undefined) found.set(name, [path]);
    else paths.push(path);
  }
  for (const [name, paths] of found) found.set(name, paths.length > maxPaths ? [[]] : withoutCovered(paths));
  return found;
}

/** An object with only these paths of the node; members are fetched one by one, missing ones stay absent. */
export function pickPaths(node: Node, paths: readonly (readonly string[])[]): Json {
  if (paths.some((path) => path.length === 0)) return parsed(wholeOf(node));
  const parent = isLazy(node) ? node : parsed(node);
  // Indices, `length` and methods of a list or a text need all of it.
  if (!isLazy(parent) && !isJsonObject(parent)) return parent;
  const picked: [string, Json][] = [];
  for (const [name, below] of groupByFirst(paths)) {
    const member = isLazy(parent) ? parent.get(name) : Object.hasOwn(parent, name) ? parent[name] : undefined;
    if (member !== undefined) picked.push([name, pickPaths(member, below)]);
  }
  return Object.fromEntries(picked);
}

/** Code made from text, the global object, and spellings that do not show a `$` or a name. */
const hiddenReads = /\b(?:eval|Function|constructor|globalThis|this)\b|\\(?:u|x24|44)/;

/** Above this a member is handed over whole: comparing more paths with one another costs more than it saves. */
const maxPaths = 100;

const nameCharacter = /[\p{ID_Continue}$\\]/u;

/** True of `$x` and `a$`, and of `\$` in a pattern. */
function isPartOfName(source: string, at: number): boolean {
  return nameCharacter.test(characterBefore(source, at)) || nameCharacter.test(characterAt(source, at + 1));
}

function characterBefore(source: string, at: number): string {
  const isPair = at > 1 && isSurrogate(source.charCodeAt(at - 1)) && isSurrogate(source.charCodeAt(at - 2));
  return source.slice(isPair ? at - 2 : Math.max(at - 1, 0), at);
}

function characterAt(source: string, at: number): string {
  const code = source.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

const dotName = /\??\.\s*([\p{ID_Start}_]\p{ID_Continue}*)(?!\p{ID_Continue}|\$|\u200c|\u200d)/uy;
const bracketName = /(?:\?\.\s*)?\[\s*(?:'([^'\\\r\n$]*)'|"([^"\\\r\n$]*)"|(0|[1-9]\d*))\s*\]/y;

/** The names after a `$`, as far as they are written out; none when the `$` itself is what is used. */
function readChain(source: string, start: number): readonly string[] {
  const chain: string[] = [];
  let at = start;
  for (;;) {
    at = skipBlanks(source, at);
    dotName.lastIndex = at;
    bracketName.lastIndex = at;
    const match = dotName.exec(source) ?? bracketName.exec(source);
    if (match === null) return mayBeCalled(source, at) ? chain.slice(0, -1) : chain;
    chain.push(match[1] ?? match[2] ?? match[3] ?? "");
    at += match[0].length;
  }
}

const callOrComment = /\(|`|\?\.|\/[/*]/y;

/** The last name is a method then, and its object is what is read. A comment may hide a call behind it. */
function mayBeCalled(source: string, at: number): boolean {
  callOrComment.lastIndex = at;
  return callOrComment.test(source);
}

const blanks = /\s*/y;

function skipBlanks(source: string, at: number): number {
  blanks.lastIndex = at;
  return at + (blanks.exec(source)?.[0].length ?? 0);
}

function withoutCovered(paths: readonly string[][]): string[][] {
  const kept: string[][] = [];
  for (const path of paths.toSorted((one, other) => one.length - other.length)) {
    if (!kept.some((shorter) => shorter.every((name, index) => name === path[index]))) kept.push(path);
  }
  return kept;
}

function groupByFirst(paths: readonly (readonly string[])[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const groups = new Map<string, (readonly string[])[]>();
  for (const [first, ...below] of paths) {
    if (first === undefined) continue;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [below]);
    else group.push(below);
  }
  return groups;
}
