import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type Answer, Client, type Json, type Sent } from "../support/client.ts";
import { type OpenApiDocument, operationsOf, type Place } from "./the-document.ts";

/** A client that holds every answer against the document, and remembers which ones it has seen. */
export class CheckedClient extends Client {
  /** What did not fit, in words. */
  readonly violations: string[] = [];
  /** As "GET /api/workflow/{id} 200". */
  readonly seen = new Set<string>();
  readonly #places: readonly (Place & { readonly pattern: RegExp; readonly literals: number })[];
  readonly #ajv: Ajv2020;
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(base: string, document: OpenApiDocument) {
    super(base);
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    this.#ajv.addFormat("int32", { type: "number", validate: (n: number) => Math.abs(n) <= 2 ** 31 });
    this.#ajv.addFormat("int64", { type: "number", validate: (n: number) => Number.isSafeInteger(n) });
    this.#ajv.addSchema(withoutSurprises(document) as Json, "api");
    this.#places = operationsOf(document).map((place) => ({
      ...place,
      pattern: new RegExp(`^${place.path.replace("{path}", ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      literals: place.path.replaceAll(/\{\w+\}/g, "").length,
    }));
  }

  override async send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await super.send(method, path, sent);
    const asked = new URL(this.base + path).pathname;
    const place = this.#find(method, asked);
    if (place !== undefined) this.#check(place, answer);
    else if (answer.status < 400) this.violations.push(`${method} ${asked}: answered, but not documented`);
    return answer;
  }

  /** Literal parts beat named ones, as in the server's routes. */
  #find(method: string, path: string): Place | undefined {
    const found = this.#places.filter((place) => place.method === method && place.pattern.test(path));
    return found.sort((a, b) => b.literals - a.literals)[0];
  }

  #check({ method, path, operation }: Place, { status, headers, text, json }: Answer): void {
    const key = operation.responses[status] === undefined ? "default" : String(status);
    const where = `${method} ${path} ${status}`;
    this.seen.add(`${method} ${path} ${key}`);
    if (key === "default" && status < 400) this.violations.push(`${where}: a success that is not documented`);
    const place =
      key === "default"
        ? "/components/responses/Error"
        : pointer("paths", path, method.toLowerCase(), "responses", key);
    const content = key === "default" ? errorContent : operation.responses[key]?.content;
    const [type] = Object.keys(content ?? {});
    const given = headers.get("content-type")?.split(";")[0];
    if (type === undefined || text === "") {
      if (text !== "") this.violations.push(`${where}: expected no body, got ${text.slice(0, 80)}`);
      return;
    }
    if (given !== type) this.violations.push(`${where}: expected ${type}, got ${given}`);
    if (type !== "application/json") return;
    const check = this.#compiled(`api#${place}${pointer("content", type, "schema")}`);
    if (!check(json))
      this.violations.push(
        ...(check.errors ?? []).map(
          (one) => `${where}: ${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`,
        ),
      );
  }

  #compiled(reference: string): ValidateFunction {
    const check = this.#checks.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#checks.set(reference, check);
    return check;
  }
}

const errorContent = { "application/json": {} };

const pointer = (...names: readonly string[]): string =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/** Objects whose properties are listed have no others: a property the document does not know is a violation too. */
function withoutSurprises(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSurprises);
  if (typeof value !== "object" || value === null) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSurprises(member)]));
  const isClosed = inside["type"] === "object" && "properties" in inside && !("additionalProperties" in inside);
  return isClosed ? { ...inside, additionalProperties: false } : inside;
}
