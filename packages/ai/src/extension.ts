import type { Extension } from "@downbeat/server";
import type { AiServices } from "./ai-task.ts";
import { Pasts } from "./chat/pasts.ts";
import { aiExecutor } from "./executor.ts";
import { createDocumentLoader } from "./media/document-loader.ts";
import { createMediaSink, mediaBelongings, mediaFolder } from "./media/media-sink.ts";
import { PromptTemplates } from "./prompts/prompt-templates.ts";
import { promptRoutes } from "./prompts/routes.ts";
import { tryPrompt } from "./prompts/try-prompt.ts";
import { Providers } from "./providers/providers.ts";
import { providersStatusRoute } from "./routes/providers-status.ts";
import { namesOf, taskTypesOf } from "./task-types.ts";
import { aiTasks } from "./tasks/index.ts";
import { openTools } from "./tool-services.ts";

/** Models, media, documents and tools as task types of the server. */
export const extension: Extension = {
  name: "ai",
  taskTypes: aiTasks.flatMap(taskTypesOf),
  open(runtime) {
    const { config, log, secrets } = runtime;
    const folder = mediaFolder(config);
    const tools = openTools(runtime);
    const services: AiServices = {
      config,
      log,
      secrets,
      runtime,
      providers: new Providers(config, log, tools.gate),
      prompts: new PromptTemplates(runtime),
      pasts: new Pasts(runtime.store.executions, runtime.payloads, config["service.ai.history-cache-size"]),
      media: createMediaSink(runtime, folder),
      documents: createDocumentLoader(runtime, folder),
      tools,
    };
    return {
      belongings: mediaBelongings(folder),
      executors: aiTasks.flatMap((task) => namesOf(task).map((type) => aiExecutor(task, type, services))),
      routes(of) {
        providersStatusRoute(of("Model providers"), services.providers);
        promptRoutes(of("Prompts"), services.prompts, (request) => tryPrompt(request, services));
      },
      async close() {
        await services.documents.close();
        await services.tools.close();
        await services.providers.close();
      },
    };
  },
};
