// @ts-nocheck The project's types are Node's; this file runs in a browser.

/** Where the server's paths begin: the page is at <root>docs/api, under whatever path a proxy put it. */
const root = new URL("../", location.href);

const methods = ["get", "put", "post", "delete", "patch", "head", "options"];
const longestShown = 300_000;
const overviewId = "overview";

/** Set once, when the document is here. */
let api = { info: {}, components: {} };
let operations = [];

const byId = (id) => document.getElementById(id);

// ---- elements

/**
 * An element with attributes and children. Texts become text nodes, never markup: whatever the document or an answer
 * holds is shown as it is. An attribute that is undefined or false is left out.
 */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return element;
}

/** A sentence of the document, with its `code` set apart. */
const prose = (text) => text.split("`").map((part, index) => (index % 2 === 1 ? el("code", {}, part) : part));

/** A path that may be broken at its slashes. */
const breakable = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, el("wbr")]);

const methodLabel = (method) => el("span", { class: `method ${method}` }, method.toUpperCase());

const section = (title, ...children) => el("section", {}, el("h2", {}, title), ...children);

// ---- the document

async function load() {
  const response = await fetch(new URL("api-docs", root));
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  api = await response.json();
  operations = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => ({ ...item[method], method, path })),
  );
}

/** Follows references; they may lead to others. */
function resolve(value) {
  let found = value;
  while (found?.$ref !== undefined) {
    const names = found.$ref.slice(2).split("/");
    found = names.reduce((part, name) => part?.[name], api);
  }
  return found ?? {};
}

const referenceName = (schema) => schema.$ref?.split("/").at(-1);

// ---- the list of operations

const searchText = ({ method, path, summary = "", operationId = "", tags = [] }) =>
  [method, path, summary, operationId, ...tags].join(" ").toLowerCase();

function matching(words) {
  return operations.filter((operation) => words.every((word) => searchText(operation).includes(word)));
}

function showList() {
  const filter = byId("filter").value.trim();
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = matching(words);
  byId("found").textContent = words.length === 0 ? "" : `${found.length} of ${operations.length}`;
  byId("operations").replaceChildren(...(found.length === 0 ? [nothingFound(filter)] : groups(found)));
  markCurrent();
}

function nothingFound(filter) {
  const clear = () => {
    byId("filter").value = "";
    byId("filter").focus();
    showList();
  };
  return el(
    "div",
    { class: "note" },
    el("p", {}, `No operation matches “${filter}”.`),
    el("button", { type: "button", click: clear }, "Show all operations"),
  );
}

function groups(found) {
  const byTag = Map.groupBy(found, ({ tags }) => tags?.[0] ?? "Other");
  return [...byTag].map(([tag, members]) => el("section", {}, el("h2", {}, tag), el("ul", {}, members.map(listEntry))));
}

const listEntry = ({ operationId, method, path, summary = "" }) =>
  el(
    "li",
    {},
    el(
      "a",
      { href: `#${encodeURIComponent(operationId)}`, title: summary },
      methodLabel(method),
      el(
        "span",
        { class: "where" },
        el("span", { class: "path" }, breakable(path)),
        el("span", { class: "summary" }, summary),
      ),
    ),
  );

function markCurrent() {
  for (const link of byId("operations").querySelectorAll("a")) {
    const isCurrent = link.hash === location.hash;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (isCurrent) link.scrollIntoView({ block: "nearest" });
  }
}

// ---- one operation

function showCurrent() {
  const id = currentId();
  const operation = operations.find(({ operationId }) => operationId === id);
  document.body.dataset.view = operation === undefined ? "list" : "operation";
  document.title = operation === undefined ? `${api.info.title} API` : `${operation.summary} – ${api.info.title} API`;
  byId("content").replaceChildren(...(operation === undefined ? overview(id) : operationParts(operation)));
  window.scrollTo(0, 0);
  markCurrent();
}

function currentId() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    // A hash somebody typed: it names no operation.
    return location.hash.slice(1);
  }
}

function overview(id) {
  const isUnknown = id !== "" && id !== overviewId;
  return [
    el("h1", {}, api.info.title ?? "API"),
    isUnknown ? el("p", { class: "note" }, `There is no operation “${id}”. Choose one of the list.`) : "",
    el("p", {}, prose(api.info.description ?? "")),
    el("p", { class: "note" }, `${operations.length} operations. Press / to filter them.`),
  ];
}

function operationParts(operation) {
  const { method, path, summary = "", description, requestBody, responses = {}, deprecated } = operation;
  const parameters = (operation.parameters ?? []).map(resolve);
  const body = requestBody === undefined ? undefined : resolve(requestBody);
  return [
    el("a", { class: "back", href: `#${overviewId}` }, "All operations"),
    el("h1", {}, summary),
    el("p", { class: "address" }, methodLabel(method), el("code", {}, path)),
    deprecated ? el("p", { class: "note" }, "Deprecated") : "",
    description === undefined ? "" : el("p", {}, prose(description)),
    parameters.length === 0 ? "" : section("Parameters", parameterTable(parameters)),
    body === undefined ? "" : section("Body", bodyDescription(body)),
    section("Try it", tryForm({ ...operation, parameters, body })),
    section("Answers", ...Object.entries(responses).map(([status, answer]) => answerDescription(status, answer))),
  ];
}

function parameterTable(parameters) {
  const row = ({ name, in: place, required, description = "", schema = {} }) =>
    el(
      "tr",
      {},
      el("td", {}, el("code", {}, name), required ? el("span", { class: "required" }, "required") : ""),
      el("td", {}, place),
      el("td", {}, typeName(schema), ...valueNotes(schema)),
      el("td", {}, prose(description)),
    );
  const head = ["Name", "In", "Type", "Meaning"].map((title) => el("th", { scope: "col" }, title));
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, parameters.map(row)));
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Parameters" }, table);
}

function bodyDescription({ description = "", required, content = {} }) {
  return el(
    "div",
    {},
    el("p", {}, prose(description), required ? "" : el("span", { class: "quiet" }, " May be left out.")),
    contentDescriptions(content, true),
  );
}

function answerDescription(status, answer) {
  const { description = "", content = {} } = resolve(answer);
  const label = status === "default" ? "Error" : status;
  return el(
    "div",
    { class: "answer" },
    el("h3", {}, el("span", { class: "status" }, label), " ", prose(description)),
    contentDescriptions(content, status !== "default"),
  );
}

const contentDescriptions = (content, isOpen) =>
  Object.entries(content).map(([type, { schema }]) =>
    el("div", {}, el("p", { class: "quiet" }, type), schema === undefined ? "" : schemaNode({ schema, isOpen })),
  );

// ---- schemas as trees

/**
 * One line of a tree. Its children are made when it is opened for the first time: a model that contains itself is as
 * deep as the reader cares to look.
 */
function schemaNode({ name, schema, isRequired = false, isOpen = false }) {
  const target = resolve(schema);
  const line = [
    name === undefined ? "" : el("code", {}, name),
    el("span", { class: "type" }, typeName(schema)),
    isRequired ? el("span", { class: "required" }, "always") : "",
    ...valueNotes(target),
    target.description === undefined ? "" : el("span", { class: "quiet" }, prose(target.description)),
  ];
  const makeChildren = childrenOf(target);
  if (makeChildren === undefined) return el("div", { class: "leaf" }, line);
  const inner = el("div", { class: "children" });
  const fill = () => {
    if (inner.childElementCount === 0) inner.append(...makeChildren().map(schemaNode));
  };
  if (isOpen) fill();
  return el("details", { class: "node", open: isOpen, toggle: fill }, el("summary", {}, line), inner);
}

/** What stands under a schema's line; undefined when nothing does. */
function childrenOf(schema) {
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return () => choices.map((choice) => ({ schema: choice }));
  if (Object.keys(schema.properties ?? {}).length > 0) return () => propertyNodes(schema);
  const inside = schema.items ?? schema.additionalProperties;
  if (inside === undefined || typeof inside === "boolean") return undefined;
  // Of a list or a map, what its values hold is what one wants to see.
  return childrenOf(resolve(inside));
}

const propertyNodes = ({ properties, required = [] }) =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));

function typeName(schema) {
  const name = referenceName(schema);
  if (name !== undefined) return name;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeName).join(" or ");
  if (schema.type === "array") return `list of ${typeName(schema.items ?? {})}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object")
    return `map of ${typeName(schema.additionalProperties)}`;
  if (schema.type === undefined) return "anything";
  return [schema.type].flat().join(" or ");
}

function valueNotes({ enum: values, default: absent, format, minimum, maximum }) {
  return [
    format === undefined ? undefined : format,
    values === undefined ? undefined : values.join(" · "),
    minimum === undefined && maximum === undefined ? undefined : `${minimum ?? "…"} to ${maximum ?? "…"}`,
    absent === undefined ? undefined : `default ${JSON.stringify(absent)}`,
  ]
    .filter((note) => note !== undefined)
    .map((note) => el("span", { class: "value" }, note));
}

// ---- examples

/** A value that fits the schema, or a first draft of one. Models inside themselves end at once. */
function exampleOf(schema, within = []) {
  const name = referenceName(schema);
  if (name !== undefined && within.includes(name)) return {};
  const target = resolve(schema);
  const inside = name === undefined ? within : [...within, name];
  const given = [target.examples?.[0], target.example, target.default, target.enum?.[0]].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const choice = (target.anyOf ?? target.oneOf)?.[0];
  return choice === undefined ? exampleByType(target, inside) : exampleOf(choice, inside);
}

function exampleByType(schema, within) {
  const [type] = [schema.type].flat();
  if (type === "object" || schema.properties !== undefined) return exampleObject(schema, within);
  if (type === "array") return exampleList(schema, within);
  return { string: "text", integer: 0, number: 0, boolean: false }[type] ?? null;
}

/** What must be there; where nothing must, everything that is no model of its own. */
function exampleObject({ properties = {}, required }, within) {
  const names = Object.keys(properties).filter((name) =>
    required === undefined ? !isModel(properties[name]) : required.includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], within)]));
}

const isModel = (schema) =>
  [schema, schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].some((one) => one?.$ref !== undefined);

function exampleList({ items = {} }, within) {
  const isAgain = within.includes(referenceName(items));
  return isAgain ? [] : [exampleOf(items, within)];
}

function bodyExample({ content = {} }) {
  const [[type, { schema = {}, example } = {}] = []] = Object.entries(content);
  const value = example ?? exampleOf(schema);
  return { type, text: type?.includes("json") ? JSON.stringify(value, null, 2) : String(value) };
}

// ---- trying it

function tryForm(operation) {
  const { parameters, body } = operation;
  const fields = parameters.map((parameter) => ({ parameter, input: parameterInput(parameter) }));
  const example = body === undefined ? undefined : bodyExample(body);
  const editor = example === undefined ? undefined : bodyEditor(example.text);
  const answer = el("div", { class: "result", "aria-live": "polite" });
  const stop = el("button", { type: "button", hidden: true }, "Stop");
  const toRequest = () => readForm(operation, { fields, editor, contentType: example?.type });
  const send = async (event) => {
    event.preventDefault();
    await perform(toRequest(), { answer, stop });
  };
  const form = el(
    "form",
    { submit: send },
    fields.map(({ parameter, input }) => fieldRow(parameter, input)),
    editor === undefined ? "" : el("label", { class: "body" }, el("span", {}, `Body, ${example.type}`), editor),
    el(
      "p",
      { class: "actions" },
      el("button", { type: "submit", class: "send" }, "Send"),
      copyButton("Copy as curl", () => toCurl(toRequest())),
      stop,
    ),
    answer,
  );
  editor?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  return form;
}

const fieldRow = ({ name, in: place }, input) =>
  el("label", { class: "field" }, el("span", {}, el("code", {}, name), el("small", {}, place)), input);

function parameterInput({ in: place, required, schema = {} }) {
  const target = resolve(schema);
  const words = target.enum ?? (target.type === "boolean" ? ["true", "false"] : undefined);
  if (words !== undefined) {
    const none = el("option", { value: "" }, target.default === undefined ? "" : `${target.default} (default)`);
    return el("select", {}, none, ...words.map((word) => el("option", { value: word }, word)));
  }
  const hint = target.type === "array" ? "separated by commas" : target.default;
  return el("input", {
    type: target.type === "integer" ? "number" : "text",
    placeholder: hint === undefined ? undefined : String(hint),
    required: required === true || place === "path",
    autocomplete: "off",
    spellcheck: "false",
  });
}

function bodyEditor(text) {
  const rows = Math.min(24, Math.max(4, text.split("\n").length + 1));
  const editor = el("textarea", { rows: String(rows), spellcheck: "false", title: "Ctrl+Enter sends" });
  editor.value = text;
  return editor;
}

/** What the form says, as a request. */
function readForm({ method, path }, { fields, editor, contentType }) {
  const values = fields.map(({ parameter, input }) => ({ ...parameter, value: input.value }));
  const filled = path.replaceAll(/\{(\w+)\}/g, (part, name) => {
    const value = values.find((field) => field.in === "path" && field.name === name)?.value;
    return value === undefined || value === "" ? part : encodeURIComponent(value);
  });
  const url = new URL(filled.slice(1), root);
  for (const field of values) {
    if (field.in === "query" && field.value !== "") url.searchParams.append(field.name, field.value);
  }
  const text = editor?.value.trim() ?? "";
  return {
    method: method.toUpperCase(),
    url,
    headers: text === "" ? {} : { "content-type": contentType },
    body: text === "" ? undefined : text,
  };
}

/** Sends a request and shows the answer as it arrives: a stream has no end but the reader's. */
async function perform({ url, ...request }, { answer, stop }) {
  const asked = new AbortController();
  stop.onclick = () => asked.abort();
  stop.hidden = false;
  const waiting = el("p", { class: "note" }, "Waiting for the answer…");
  answer.replaceChildren(waiting);
  const startedAt = performance.now();
  try {
    const response = await fetch(url, { ...request, signal: asked.signal });
    await showAnswer(response, startedAt, answer);
  } catch (error) {
    const why = error.name === "AbortError" ? "Stopped." : `The server cannot be reached: ${error.message}`;
    answer.append(el("p", { class: "note" }, why));
  }
  waiting.remove();
  stop.hidden = true;
}

async function showAnswer(response, startedAt, answer) {
  const status = el("p", { class: "outcome" });
  const output = el("pre", { tabindex: "0", "aria-label": "Body of the answer" });
  answer.replaceChildren(status, headerList(response.headers), output);
  const say = (size) => {
    const words = `${response.status} ${response.statusText}`.trim();
    status.replaceChildren(
      el("span", { class: response.ok ? "status good" : "status bad" }, words),
      ` ${Math.round(performance.now() - startedAt)} ms · ${size} bytes`,
    );
  };
  say(0);
  let text = "";
  let size = 0;
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(response)) {
    size += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    output.textContent = shorten(text);
    say(size);
  }
  output.textContent = shorten(pretty(text));
  if (text === "") output.replaceWith(el("p", { class: "quiet" }, "No body"));
}

/** Not every browser can iterate over a stream yet. */
async function* chunksOf({ body }) {
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    yield value;
  }
}

const headerList = (headers) =>
  el(
    "details",
    { class: "headers" },
    el("summary", {}, "Headers"),
    el("pre", {}, [...headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
  );

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: as it came.
    return text;
  }
}

const shorten = (text) =>
  text.length <= longestShown
    ? text
    : `${text.slice(0, longestShown)}\n… ${text.length - longestShown} more characters`;

// ---- curl

function toCurl({ method, url, headers, body }) {
  const parts = [`curl -X ${method} ${quoted(url.href)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`);
  return parts.join(" \\\n  ");
}

/** As one word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function copyButton(label, toText) {
  const button = el("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    const text = toText();
    button.textContent = (await copy(text)) ? "Copied" : "Copy it from below";
    if (button.textContent !== "Copied") button.parentElement.after(el("pre", { tabindex: "0" }, text));
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

/** False where the browser keeps its clipboard to itself: on pages that did not come over HTTPS, for one. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// ---- the keyboard

function onKey(event) {
  const filter = byId("filter");
  const isTyping = event.target.matches("input, textarea, select");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    document.body.dataset.view = "list";
    filter.focus();
    filter.select();
  }
  if (event.key === "Escape" && event.target === filter) {
    filter.value = "";
    showList();
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") moveInList(event);
}

/** Up and down walk from the filter through the list. */
function moveInList(event) {
  const places = [byId("filter"), ...byId("operations").querySelectorAll("a")];
  const at = places.indexOf(event.target);
  if (at === -1) return;
  event.preventDefault();
  places[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}

// ---- start

function showUnreachable(error) {
  document.body.dataset.view = "operation";
  byId("content").replaceChildren(
    el("h1", {}, "The document cannot be loaded"),
    el("p", {}, `${new URL("api-docs", root).href}: ${error.message}`),
    el("p", { class: "note" }, "The server may be starting, stopping or out of reach."),
    el("button", { type: "button", click: start }, "Try again"),
  );
}

async function start() {
  try {
    await load();
  } catch (error) {
    showUnreachable(error);
    return;
  }
  byId("title").textContent = api.info.title ?? "API";
  byId("version").textContent = api.info.version ?? "";
  showList();
  showCurrent();
}

byId("filter").addEventListener("input", showList);
byId("skip").addEventListener("click", (event) => {
  // Not by the hash: that names the operation.
  event.preventDefault();
  byId("content").focus();
});
window.addEventListener("hashchange", showCurrent);
document.addEventListener("keydown", onKey);
await start();
