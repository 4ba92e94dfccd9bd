import { type Api, answerModel, json, listOf, sendValue } from "@downbeat/server";
import { ollamaUrl } from "../providers/ollama.ts";
import type { Providers } from "../providers/providers.ts";
import type { ConfiguredProvider } from "../providers/settings.ts";

const LOOK_MS = 3000;

const statusModel = answerModel("ProvidersStatus", {
  managedByHost: { type: "boolean" },
  providers: listOf(
    answerModel(
      "ProviderStatus",
      { name: { type: "string" }, configured: { type: "boolean" } },
      { baseUrl: { type: "string" }, reachable: { type: "boolean" } },
    ),
  ),
});

/** Which providers this server has keys for. */
export function providersStatusRoute(api: Api, providers: Providers): void {
  api.get(
    "/providers/status",
    {
      summary: "Which model providers are configured",
      answers: { 200: json(statusModel, "All that are known") },
    },
    async (_call, reply) => {
      const known = providers
        .list()
        .filter(({ kind, settings }) => kind.statusName !== undefined && settings.name === kind.id);
      return sendValue(reply, { managedByHost: false, providers: await Promise.all(known.map(statusOf)) });
    },
  );
}

async function statusOf({ kind, settings }: ConfiguredProvider) {
  const status = { name: kind.statusName, configured: kind.isConfigured(settings) };
  if (kind.id !== "ollama") return settings.baseUrl === "" ? status : { ...status, baseUrl: settings.baseUrl };
  const baseUrl = ollamaUrl(settings.baseUrl);
  return { ...status, baseUrl, reachable: await isReachable(baseUrl) };
}

/** Any answer will do. */
async function isReachable(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_MS), redirect: "manual" });
    await response.body?.cancel();
    return true;
  } catch {
    // Nobody there, or not in time: that is the answer.
    return false;
  }
}
