type Schema = { readonly [keyword: string]: unknown };

/** The arguments a model wrote, when they are what the tool's schema asks for; otherwise `{_plan_error}`. */
export function checkArguments({ parsed, schema }: { parsed?: unknown; schema?: Schema }): unknown {
  if (typeof parsed === "object" && parsed !== null && "_plan_error" in parsed) return parsed;
  const problem = findProblem(parsed, schema ?? {}, "arguments");
  return problem === undefined ? parsed : { _plan_error: problem };
}

/** What is wrong with a value by the keywords a tool's schema may use. */
function findProblem(value: unknown, schema: Schema, path: string): string | undefined {
  const types = [schema["type"] ?? []].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    return `${path} must be ${types.join(" or ")}`;
  }
  const allowed = schema["enum"];
  if (Array.isArray(allowed) && !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value))) {
    return `${path} must be one of ${JSON.stringify(allowed)}`;
  }
  const below = (keyword: string, size: number) => typeof schema[keyword] === "number" && size < schema[keyword];
  const above = (keyword: string, size: number) => typeof schema[keyword] === "number" && size > schema[keyword];
  if (typeof value === "string") {
    if (below("minLength", value.length)) return `${path} must have at least ${schema["minLength"]} characters`;
    if (above("maxLength", value.length)) return `${path} must have at most ${schema["maxLength"]} characters`;
    const pattern = schema["pattern"];
    if (typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) return `${path} must match ${pattern}`;
  }
  if (typeof value === "number") {
    if (below("minimum", value)) return `${path} must be at least ${schema["minimum"]}`;
    if (above("maximum", value)) return `${path} must be at most ${schema["maximum"]}`;
  }
  if (Array.isArray(value)) {
    if (below("minItems", value.length)) return `${path} must have at least ${schema["minItems"]} items`;
    if (above("maxItems", value.length)) return `${path} must have at most ${schema["maxItems"]} items`;
    return findItemProblem(value, schema, path);
  }
  return typeof value === "object" && value !== null ? findMemberProblem(value, schema, path) : undefined;
}

function findItemProblem(list: readonly unknown[], schema: Schema, path: string): string | undefined {
  const items = schema["items"];
  if (typeof items !== "object" || items === null) return undefined;
  for (const [index, item] of list.entries()) {
    const problem = findProblem(item, items as Schema, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findMemberProblem(value: object, schema: Schema, path: string): string | undefined {
  const properties = (schema["properties"] ?? {}) as { readonly [name: string]: Schema };
  for (const name of (schema["required"] ?? []) as readonly string[]) {
    if (!Object.hasOwn(value, name)) return `${path}.${name} is missing`;
  }
  const others = schema["additionalProperties"];
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : others;
    if (own === false) return `${path}.${name} is not a known argument`;
    if (typeof own !== "object" || own === null) continue;
    const problem = findProblem(member, own as Schema, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

export const checkArgumentsHelpers = [findProblem, findItemProblem, findMemberProblem, hasType];
