import type { AiTask } from "../ai-task.ts";
import { callMcpTool } from "./call-mcp-tool.ts";
import { chunkText } from "./chunk-text.ts";
import { generateAudio } from "./generate-audio.ts";
import { generateImage } from "./generate-image.ts";
import { generatePdf } from "./generate-pdf.ts";
import { generateVideo } from "./generate-video.ts";
import { getDocument } from "./get-document.ts";
import { listApiTools } from "./list-api-tools.ts";
import { listFiles } from "./list-files.ts";
import { listMcpTools } from "./list-mcp-tools.ts";
import { llmChatComplete } from "./llm-chat-complete.ts";
import { llmGenerateEmbeddings } from "./llm-generate-embeddings.ts";
import { llmIndexDocument } from "./llm-index-document.ts";
import { llmIndexText } from "./llm-index-text.ts";
import { llmSearchEmbeddings } from "./llm-search-embeddings.ts";
import { llmSearchIndex } from "./llm-search-index.ts";
import { llmStoreEmbeddings } from "./llm-store-embeddings.ts";
import { llmTextComplete } from "./llm-text-complete.ts";
import { parseDocument } from "./parse-document.ts";
import { plannerContextFetch } from "./planner-context-fetch.ts";

/** Every AI task type. Adding one touches its file and this list. */
export const aiTasks: readonly AiTask[] = [
  generateAudio,
  generateImage,
  generateVideo,
  llmChatComplete,
  llmGenerateEmbeddings,
  llmTextComplete,
  callMcpTool,
  chunkText,
  generatePdf,
  getDocument,
  listFiles,
  listMcpTools,
  llmIndexDocument,
  llmIndexText,
  llmSearchEmbeddings,
  llmSearchIndex,
  llmStoreEmbeddings,
  parseDocument,
  listApiTools,
  plannerContextFetch,
];
