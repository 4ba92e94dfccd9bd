import type { Json } from "@downbeat/engine";

/** Values an operator gives to workflows by name. */
export interface NamedValues {
  find(name: string): string | undefined;
  /** Sorted, each name once. */
  names(): string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `${workflow.secrets.NAME}`: SERVICE_SECRET_NAME, or with another prefix, else CONDUCTOR_SECRET_NAME. */
export function environmentSecrets(env: Environment, prefix = "SERVICE_SECRET_"): NamedValues {
  return valuesByPrefix(env, [prefix, "CONDUCTOR_SECRET_"]);
}

/** `${workflow.env.NAME}`: SERVICE_ENV_NAME, else CONDUCTOR_ENV_NAME. Nothing else of the environment is visible. */
export function environmentValues(env: Environment): NamedValues {
  return valuesByPrefix(env, ["SERVICE_ENV_", "CONDUCTOR_ENV_"]);
}

/**
 * Reads `NAME` as text, or `NAME.a.b` as a part of the JSON the value holds.
 * Null when the name or the part is missing, or when the value is not JSON.
 */
export function readNamedValue(values: NamedValues, path: string): Json {
  const [name = "", ...keys] = path.split(".");
  const text = values.find(name);
  if (text === undefined || keys.length === 0) {
    return text ?? null;
  }
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON, so it has no parts: the interface gives null rather than failing the task.
    return null;
  }
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      return null;
    }
    value = (value as { readonly [key: string]: Json })[key] ?? null;
  }
  return value;
}

function valuesByPrefix(env: Environment, prefixes: readonly string[]): NamedValues {
  return {
    find(name) {
      for (const prefix of prefixes) {
        const value = Object.hasOwn(env, prefix + name) ? env[prefix + name] : undefined;
        if (value !== undefined) {
          return value;
        }
      }
      return;
    },
    names() {
      const found = Object.keys(env).flatMap((variable) =>
        prefixes.filter((prefix) => variable.startsWith(prefix)).map((prefix) => variable.slice(prefix.length)),
      );
      return [...new Set(found)].filter((name) => name !== "").toSorted();
    },
  };
}
