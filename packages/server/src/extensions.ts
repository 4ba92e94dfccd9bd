import type { Config } from "./config.ts";
import type { Extension } from "./extension.ts";

/** Packages that plug into the server, and when. They know the server; it knows their names alone. */
const available: readonly { readonly name: string; readonly isWanted: (config: Config) => boolean }[] = [
  { name: "@downbeat/ai", isWanted: (config) => config["service.integrations.ai.enabled"] },
  { name: "@downbeat/ai/sql", isWanted: () => true },
  { name: "@downbeat/agents", isWanted: (config) => config["service.integrations.ai.enabled"] },
];

/** Loads what the settings ask for: the rest costs nothing. */
export async function loadExtensions(config: Config): Promise<readonly Extension[]> {
  const wanted = available.filter(({ isWanted }) => isWanted(config));
  return Promise.all(
    wanted.map(async ({ name }) => ((await import(name)) as { readonly extension: Extension }).extension),
  );
}
