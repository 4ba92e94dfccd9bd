import { isJsonObject } from "@downbeat/engine";
import type { Config, Logger } from "@downbeat/server";
import { providerKinds } from "./index.ts";
import type { ProviderKind, ProviderSettings } from "./provider.ts";

export type ConfiguredProvider = { readonly kind: ProviderKind; readonly settings: ProviderSettings };

/** Every provider as the settings have it, the named instances first. */
export function readProviders(config: Config, log: Logger): readonly ConfiguredProvider[] {
  const own = providerKinds.map((kind) => ({ kind, settings: settingsOf(kind, blockOf(config, kind.block)) }));
  return [...readInstances(config, own, log), ...own];
}

type Values = Readonly<Record<string, string>>;

/** `service.ai.<block>.api-key` and its neighbours, as `{apiKey, …}`. */
function blockOf(config: Config, block: string): Values {
  const prefix = `service.ai.${block}.`;
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    if (key.startsWith(prefix)) values[toCamelCase(key.slice(prefix.length))] = String(value).trim();
  }
  return values;
}

const toCamelCase = (key: string): string => key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const DEFAULT_TIMEOUT_MS = 600_000;

function settingsOf(kind: ProviderKind, values: Values, name = kind.id): ProviderSettings {
  const { apiKey = "", bearerToken = "", baseUrl = "", timeout, maxConcurrentCalls, ...more } = values;
  return {
    name,
    apiKey: apiKey === "" ? bearerToken : apiKey,
    baseUrl,
    timeoutMs: Number(timeout) || DEFAULT_TIMEOUT_MS,
    maxConcurrentCalls: Number(maxConcurrentCalls) || 0,
    more,
  };
}

/** What an instance does not say is as in the provider's own block, except for what is secret there. */
function readInstances(config: Config, own: readonly ConfiguredProvider[], log: Logger): readonly ConfiguredProvider[] {
  const text = config["service.ai.instances"].trim();
  if (text === "") return [];
  const list = parseList(text);
  if (list === undefined) {
    log.error('Expected service.ai.instances to be a JSON list of {"name", "provider", …}; it is left out');
    return [];
  }
  return list.flatMap((item) => {
    const { name, provider, ...values } = textsOf(item);
    const kind = own.find((known) => isCalled(known, provider ?? ""))?.kind;
    if (name === undefined || kind === undefined) {
      log.error("An instance of service.ai.instances has no name or names no provider; it is left out", {
        name,
        provider,
      });
      return [];
    }
    const { timeout, location, region, version } = blockOf(config, kind.block);
    const shared = Object.entries({ timeout, location, region, version }).filter(([, value]) => value !== undefined);
    return [{ kind, settings: settingsOf(kind, { ...(Object.fromEntries(shared) as Values), ...values }, name) }];
  });
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    // Said by the caller, without the text: it holds keys.
    return undefined;
  }
}

function textsOf(item: unknown): Values {
  if (!isJsonObject(item)) return {};
  const texts = Object.entries(item).filter(([, value]) => typeof value === "string" || typeof value === "number");
  return Object.fromEntries(texts.map(([key, value]) => [key, String(value).trim()]));
}

/** Names are compared without case. */
export function isCalled({ kind, settings }: ConfiguredProvider, name: string): boolean {
  const wanted = name.trim().toLowerCase();
  const names = settings.name === kind.id ? [kind.id, ...kind.aliases] : [settings.name];
  return names.some((known) => known.toLowerCase() === wanted);
}
