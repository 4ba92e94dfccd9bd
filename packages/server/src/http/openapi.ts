import type { Fields, Model, Schema } from "@downbeat/engine";
import type { Answer, DeclaredRoute } from "./api.ts";
import { type AnswerModel, errorModel } from "./models.ts";
import type { Parameter } from "./parameters.ts";

type JsonObject = Record<string, unknown>;

/** What the parts of paths stand for. */
const pathParts: Readonly<Record<string, string>> = {
  id: "Id of an execution",
  workflowId: "Id of an execution",
  taskId: "Id of a task",
  name: "Name of a definition",
  version: "Version of a definition; 0 means the latest where the operation says so",
  taskType: "Name of a task definition, or of a system task's type",
  ref: "Reference name of a task in the definition, with or without its iteration suffix",
  status: "IN_PROGRESS, COMPLETED, FAILED or FAILED_WITH_TERMINAL_ERROR",
  correlationId: "Correlation id the executions were started with",
  key: "Name of an environment value",
  jobId: "Id of a background job",
  event: "An event, such as service:order_paid",
  path: "Path of a payload",
  handler: "Name of an event handler",
  messageId: "Id of a message",
  letterId: "Id of a dead letter",
  webhook: "Name of a webhook",
  fileId: "Id of a file, or its handle",
  uploadId: "Id of an upload in parts",
  partNumber: "Number of a part, from 1",
};

/** A first body of each kind: together they make an execution that a worker can finish. */
const examples: Readonly<Record<string, unknown>> = {
  WorkflowDef: {
    name: "greet",
    version: 1,
    schemaVersion: 2,
    tasks: [
      {
        name: "say_hello",
        taskReferenceName: "hello",
        type: "SIMPLE",
        inputParameters: { name: "${workflow.input.name}" },
      },
    ],
    outputParameters: { greeting: "${hello.output.greeting}" },
  },
  TaskDef: { name: "say_hello", retryCount: 3, retryLogic: "FIXED", retryDelaySeconds: 10, responseTimeoutSeconds: 60 },
  StartWorkflowRequest: { name: "greet", version: 1, input: { name: "Ada" }, correlationId: "first" },
  WorkflowTestRequest: {
    name: "greet",
    input: { name: "Ada" },
    taskRefToMockOutput: { hello: [{ status: "COMPLETED", output: { greeting: "Hello Ada" } }] },
  },
};

/** The OpenAPI 3.1 document of what was declared. Models become components, however deep they were found. */
export function openApiDocument(operations: readonly DeclaredRoute[], version: string): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const same of Map.groupBy(operations, shapeOf).values()) {
    const names = jointNames(same.map(({ path }) => partsOf(path)));
    for (const operation of same) {
      const path = withNames(operation.path, names);
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, names, components) };
    }
  }
  const error = components.resolve(errorModel);
  return {
    openapi: "3.1.0",
    info: {
      title: "Downbeat",
      version,
      description: "Durable workflows over the HTTP interface of Conductor OSS.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      responses: { Error: { description: "What was wrong", content: { "application/json": { schema: error } } } },
    },
  };
}

/** A named part, or all that follows. */
const partPattern = /:(\w+)|\*/g;

const partsOf = (path: string): string[] => [...path.matchAll(partPattern)].map(([, name]) => name ?? "path");

/** Paths that differ only in what their parts are called are one path to OpenAPI. */
const shapeOf = ({ path }: DeclaredRoute): string => path.replaceAll(partPattern, "{}");

/** One name per place: where routes call the same place differently, all of their names. */
function jointNames(lists: readonly (readonly string[])[]): string[] {
  const [first = []] = lists;
  return first.map((_name, place) => {
    const names = [...new Set(lists.map((list) => list[place] ?? ""))];
    return names.map((name, index) => (index === 0 ? name : capitalized(name))).join("Or");
  });
}

function withNames(path: string, names: readonly string[]): string {
  const left = [...names];
  return path.replaceAll(partPattern, () => `{${left.shift()}}`);
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function describe(operation: DeclaredRoute, names: readonly string[], components: Components): JsonObject {
  const { summary, description, body, answers, tag } = operation;
  const parts = partsOf(operation.path).map((part, place) => ({
    name: names[place],
    in: "path",
    required: true,
    description: pathParts[part],
    schema: { type: "string" },
  }));
  const query = Object.entries((operation.query ?? {}) as Record<string, Parameter<unknown>>).map(
    ([name, parameter]) => ({
      name,
      in: "query",
      required: parameter.required ?? false,
      description: parameter.description,
      schema: components.resolve(parameter.schema),
    }),
  );
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    operationId: operationId(operation),
    parameters: [...parts, ...query],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.description,
            required: body.required,
            content: { [body.contentType ?? "application/json"]: { schema: components.resolve(body.schema) } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer, components)]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function describeAnswer({ description, contentType, schema }: Answer, components: Components): JsonObject {
  if (contentType === undefined) return { description };
  return {
    description,
    content: { [contentType]: schema === undefined ? {} : { schema: components.resolve(schema) } },
  };
}

/** Made of method and path, so it is unique and stays the same as long as the route does. */
function operationId({ method, path }: DeclaredRoute): string {
  const words = path.replace("*", "path").split(/[^A-Za-z0-9]+/);
  const place = words[1] === "api" ? words.slice(2) : ["root", ...words];
  return method.toLowerCase() + place.map(capitalized).join("");
}

class Components {
  readonly schemas: Record<string, unknown> = {};

  /** The schema with every model in it replaced by a reference. */
  resolve(schema: Schema | AnswerModel): unknown {
    const name = "modelName" in schema ? schema.modelName : undefined;
    if (typeof name !== "string") return this.#resolveParts(schema);
    if (!(name in this.schemas)) {
      // Said first, found later: models contain themselves.
      this.schemas[name] = {};
      this.schemas[name] =
        typeof schema === "function"
          ? { type: "object", properties: this.#properties(schema), ...exampleOf(name) }
          : this.#resolveParts((schema as AnswerModel).schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #properties(model: Model<unknown>): JsonObject {
    const fields = model.fields() as Fields<Record<string, unknown>>;
    return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, this.resolve(schema)]));
  }

  #resolveParts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#resolvePart(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#resolvePart(member)]));
  }

  #resolvePart(value: unknown): unknown {
    const isModel =
      (typeof value === "object" || typeof value === "function") && value !== null && "modelName" in value;
    return isModel ? this.resolve(value as AnswerModel) : this.#resolveParts(value);
  }
}

const exampleOf = (name: string): JsonObject => (name in examples ? { examples: [examples[name]] } : {});
