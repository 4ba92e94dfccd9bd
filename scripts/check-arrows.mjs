// Holds the direction of imports between and within packages. Prints each import that breaks a rule as
// `file:line  import  rule` and exits 1. Type-only imports count like the others: an arrow is an arrow.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

/**
 * What the code of a package may import besides its own files. Its tests may import anything, but no other
 * package's files.
 * @typedef {object} Arrows
 * @property {string[]} ours packages of ours
 * @property {boolean} builtins Node's own modules
 * @property {string[] | "any"} npm packages from npm
 */

/** @type {Record<string, Arrows>} */
const arrows = {
  engine: { ours: [], builtins: false, npm: [] },
  jq: { ours: [], builtins: false, npm: [] },
  store: { ours: ["engine"], builtins: true, npm: ["pg"] },
  server: { ours: ["engine", "jq", "store"], builtins: true, npm: "any" },
  agents: { ours: ["engine", "server"], builtins: true, npm: "any" },
  ui: { ours: [], builtins: false, npm: "any" },
  ai: { ours: ["engine", "server"], builtins: true, npm: "any" },
};

const scope = "@downbeat/";
const root = resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
const packagesDir = join(root, "packages");

/** @type {string[]} */
const problems = [];
for (const name of readdirSync(packagesDir).sort()) {
  checkPackage(name);
}
for (const problem of problems) {
  process.stdout.write(`${problem}\n`);
}
if (problems.length > 0) {
  process.stdout.write(`${problems.length} ${problems.length === 1 ? "import breaks" : "imports break"} the rules\n`);
  process.exitCode = 1;
}

/** @param {string} name */
function checkPackage(name) {
  const files = globSync(["src/**/*.{ts,tsx}", "test/**/*.ts"], { cwd: join(packagesDir, name) })
    .map((file) => join(packagesDir, name, file))
    .sort();
  const allowed = arrows[name];
  if (!allowed) {
    if (files.length > 0) {
      problems.push(
        `packages/${name}  has no row in the table of scripts/check-arrows.mjs that says what it may import`,
      );
    }
    return;
  }
  /** @type {Map<string, string[]>} */
  const graph = new Map();
  for (const file of files) {
    /** @type {string[]} */
    const targets = [];
    for (const { specifier, line, isType } of readImports(file)) {
      const rule = specifier.startsWith(".")
        ? brokenRelativeRule({ file, specifier, name })
        : brokenPackageRule({ file, specifier, name, allowed });
      if (rule) {
        problems.push(`${relative(root, file)}:${line}  ${specifier}  ${rule}`);
      } else if (specifier.startsWith(".") && !isType) {
        // Types are gone at run time: two files may describe each other.
        targets.push(resolve(dirname(file), specifier));
      }
    }
    graph.set(file, targets);
  }
  for (const cycle of findCycles(graph)) {
    const path = cycle.map((file) => relative(packagesDir, file)).join(" -> ");
    problems.push(`${relative(root, cycle[0] ?? "")}  ${path}  no import cycles within a package`);
  }
}

/** @param {string} file */
function readImports(file) {
  const text = readFileSync(file, "utf8");
  const { module, program, errors } = parseSync(file, text);
  const fatal = errors.find((error) => error.severity === "Error");
  if (fatal) {
    problems.push(`${relative(root, file)}  cannot be parsed: ${fatal.message}`);
  }
  /** @type {{ specifier: string, line: number, isType: boolean }[]} */
  const imports = [];
  /** @type {(specifier: string, offset: number, isType?: boolean) => void} */
  const add = (specifier, offset, isType = false) => {
    imports.push({ specifier, line: text.slice(0, offset).split("\n").length, isType });
  };
  for (const { moduleRequest, start, entries } of module.staticImports) {
    add(moduleRequest.value, start, entries.length > 0 && entries.every((entry) => entry.isType));
  }
  for (const { moduleRequest: request } of module.dynamicImports) {
    const argument = text.slice(request.start, request.end);
    // Only a literal can be judged; a computed import is left to review.
    if (/^(["'`])[^$]*\1$/.test(argument)) {
      add(argument.slice(1, -1), request.start);
    }
  }
  for (const { entries, start } of module.staticExports) {
    for (const specifier of new Set(entries.map((entry) => entry.moduleRequest?.value))) {
      if (specifier !== undefined) {
        add(specifier, start);
      }
    }
  }
  // Types such as import("x").Y, which the parser does not list with the imports.
  new Visitor({ TSImportType: ({ source }) => add(source.value, source.start, true) }).visit(program);
  return imports.sort((one, other) => one.line - other.line);
}

/** @param {{ file: string, specifier: string, name: string }} imported */
function brokenRelativeRule({ file, specifier, name }) {
  const target = resolve(dirname(file), specifier);
  if (!target.startsWith(join(packagesDir, name) + sep)) {
    return isTest(file) && !target.startsWith(packagesDir + sep)
      ? undefined
      : "import another package by its name, not by a path";
  }
  if (!existsSync(target)) {
    return "names no file";
  }
  if (isTest(target) && !isTest(file)) {
    return "only tests import tests";
  }
  return undefined;
}

/** @param {{ file: string, specifier: string, name: string, allowed: Arrows }} imported */
function brokenPackageRule({ file, specifier, name, allowed }) {
  if (specifier.startsWith(scope)) {
    const [target = "", ...inside] = specifier.slice(scope.length).split("/");
    if (inside.length > 0 && !isExported(target, inside.join("/"))) {
      return `import ${scope}${target}, or what its package.json exports beside it, not a file inside it`;
    }
    if (isTest(file)) {
      return undefined;
    }
    if (target === name) {
      return "a package imports its own files by path";
    }
    return allowed.ours.includes(target) ? undefined : `${name} may import ${listOf(allowed.ours)}`;
  }
  if (isTest(file)) {
    return undefined;
  }
  if (isBuiltin(specifier)) {
    return allowed.builtins ? undefined : `${name} may not import Node's own modules`;
  }
  return allowed.npm === "any" || allowed.npm.includes(npmName(specifier))
    ? undefined
    : `${name} may import ${listOf(allowed.npm)} from npm`;
}

/**
 * @param {string} name
 * @param {string} path
 */
function isExported(name, path) {
  const { exports } = JSON.parse(readFileSync(join(packagesDir, name, "package.json"), "utf8"));
  return typeof exports === "object" && `./${path}` in exports;
}

/**
 * Tests, and what only tests use: the store's conformance suite lives beside the port it describes.
 * @param {string} file
 */
function isTest(file) {
  const [, folder, ...path] = relative(packagesDir, file).split(sep);
  return folder === "test" || path.includes("conformance") || file.endsWith(".test.ts");
}

/** @param {string} specifier */
function npmName(specifier) {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** @param {string[]} names */
function listOf(names) {
  return names.length === 0 ? "nothing" : `only ${names.join(", ")}`;
}

/**
 * One cycle for every import that closes one, found by walking depth first.
 * @param {Map<string, string[]>} graph
 */
function findCycles(graph) {
  /** @type {string[][]} */
  const cycles = [];
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {string[]} */
  const path = [];
  /** @type {(file: string) => void} */
  const walk = (file) => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    if (done.has(file)) {
      return;
    }
    path.push(file);
    for (const target of graph.get(file) ?? []) {
      walk(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) {
    walk(file);
  }
  return cycles;
}
