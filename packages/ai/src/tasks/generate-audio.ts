import type { AiTask } from "../ai-task.ts";
import { fillVariables } from "../chat/variables.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { callProvider } from "../providers/call.ts";
import { bytesOf } from "../providers/image-model.ts";
import { modelOf } from "../providers/model-name.ts";
import { completed } from "../results.ts";

/** GENERATE_AUDIO: a text, spoken. */
export const generateAudio: AiTask = {
  type: "GENERATE_AUDIO",
  async run({ input: from, signal, head }, { providers, media }) {
    const provider = providers.find(input.word(from, "llmProvider"), input.word(from, "baseUrl"));
    const { speech } = provider;
    if (speech === undefined) throw new Error("Audio generation not supported by this provider");
    const given = input.word(from, "text") ?? input.word(from, "prompt");
    if (given === undefined) throw new TerminalError("Expected a text to speak, got none");
    const text = fillVariables(given, input.object(from, "promptVariables") ?? {});
    const voice = input.word(from, "voice");
    const speed = input.number(from, "speed");
    const format = input.word(from, "responseFormat")?.toLowerCase() ?? "mp3";
    const model = modelOf(from);
    const audio = await callProvider({
      provider,
      words: speech.failure,
      signal,
      work: async (abortSignal) => {
        const speaker = await speech.model(model);
        const result = await speaker.doGenerate({
          text,
          abortSignal,
          outputFormat: format,
          ...(voice === undefined ? {} : { voice }),
          ...(speed === undefined || speed === 1 ? {} : { speed }),
        });
        return result.audio;
      },
    });
    const kept = await media.put(bytesOf(audio), speech.mimeType(format), head.id);
    return completed({ media: [kept], tokenUsed: 0, promptTokens: 0, completionTokens: 0 });
  },
};
