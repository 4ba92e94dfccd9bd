import type { AiTask } from "../ai-task.ts";
import { generateAudio } from "./generate-audio.ts";
import { generateImage } from "./generate-image.ts";
import { generateVideo } from "./generate-video.ts";
import { llmChatComplete } from "./llm-chat-complete.ts";
import { llmGenerateEmbeddings } from "./llm-generate-embeddings.ts";
import { llmTextComplete } from "./llm-text-complete.ts";

/** Every AI task type. Adding one touches its file and this list. */
export const aiTasks: readonly AiTask[] = [
  generateAudio,
  generateImage,
  generateVideo,
  llmChatComplete,
  llmGenerateEmbeddings,
  llmTextComplete,
];
