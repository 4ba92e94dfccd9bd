import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type JsonObject, RawJson, referenceTaskName, type TaskResult, taskId } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AiServices } from "../ai-task.ts";
import { TerminalError } from "../errors.ts";
import { callProvider, isAboutTemperature } from "../providers/call.ts";
import type { ChatProvider, ChatRequestParts } from "../providers/provider.ts";
import type { OpenProvider } from "../providers/providers.ts";
import { type ChatInput, GIVEN_MESSAGES } from "./chat-input.ts";
import { loadHistory } from "./history.ts";
import type { Message } from "./messages.ts";
import { toOutput } from "./output.ts";
import { type Conversation, checkMessages, prepareConversation } from "./prepare.ts";
import { toPrompt } from "./prompt.ts";
import { type Reply, tokensOf } from "./reply.ts";
import { generate, type OnToken, stream } from "./stream.ts";
import { toFunctionTools } from "./tools.ts";
import { listOf } from "./words.ts";

type Chat = {
  readonly input: ChatInput;
  readonly variables: JsonObject;
  /** Whether what was said before in this execution belongs to the conversation. */
  readonly hasHistory: boolean;
};

/** One turn of a conversation with a model. */
export async function completeChat(call: OutsideCall, services: AiServices, chat: Chat): Promise<TaskResult> {
  checkMessages(chat.input);
  const provider = services.providers.find(chat.input.llmProvider, chat.input.baseUrl);
  const model = provider.chat;
  if (model === undefined)
    throw new Error(provider.refusals?.chat ?? "Chat completion is not supported by this provider");
  const input = withModel(chat.input, model);
  const { messages, condensation } = await converse(call, services, { ...chat, input }, model);
  const reply = await ask({ call, services, provider, model, input, messages });
  await tellLeftOut(call, services, reply);
  services.log.debug("A model answered", { provider: provider.name, model: input.model, ...tokensOf(reply) });
  const { tools, outputSchema, jsonOutput, reasoningSummary } = input;
  return await toOutput(reply, {
    tools,
    jsonOutput,
    outputSchema,
    hasReasoning: reasoningSummary !== undefined,
    tellsResponseId: model.tellsResponseId === true,
    services,
    executionId: call.head.id,
    shownInput: shownInput(call, input, { messages, condensation }),
  });
}

/** What was asked for and could not be is told in the task's log: the answer alone does not show it. */
async function tellLeftOut({ head, task }: OutsideCall, { runtime }: AiServices, { leftOut }: Reply): Promise<void> {
  if (leftOut.length === 0) return;
  const lines = leftOut.map((one) => `Not sent to the model: ${one}`);
  await runtime.addLogs(head.id, task.no, lines);
}

/** What the model was shown, where that is not what the task says already. */
function shownInput({ task }: OutsideCall, input: ChatInput, { messages, condensation }: Conversation) {
  // Secrets are filled in by now: what holds any is not written down. Nor are messages where none were given: the
  // definition would not put its own in their place when the task is run again.
  if (task.secrets !== undefined || input.messages.length === 0) return {};
  const [shown, given] = [listOf(messages), listOf(input.messages)];
  if (shown === given) return {};
  return {
    messages: new RawJson(shown),
    [GIVEN_MESSAGES]: new RawJson(given),
    ...(condensation && { _condensation: condensation }),
  };
}

function withModel(input: ChatInput, { defaultModel }: ChatProvider): ChatInput {
  if (input.model !== "") return input;
  if (defaultModel === undefined) throw new TerminalError("model not specified: null");
  return { ...input, model: defaultModel };
}

async function converse(
  { head, task }: OutsideCall,
  { pasts }: AiServices,
  { input, variables, hasHistory }: Chat,
  { hasNoPrefill }: ChatProvider,
) {
  const history = hasHistory
    ? await loadHistory({ pasts, head, task, input, hasNoPrefill: hasNoPrefill === true })
    : { messages: [], hitLimit: false };
  return prepareConversation(input, history, variables);
}

type Question = {
  readonly call: OutsideCall;
  readonly services: AiServices;
  readonly provider: OpenProvider;
  readonly model: ChatProvider;
  readonly input: ChatInput;
  readonly messages: readonly Message[];
};

async function ask({ call, services, provider, model, input, messages }: Question): Promise<Reply> {
  const parts = model.request?.(input, { hasLostThoughts: hasLostThoughts(messages) }) ?? {};
  const system: readonly Message[] =
    input.instructions === undefined ? [] : [{ role: "system", message: input.instructions }];
  const prompt = await toPrompt([...system, ...messages], {
    documents: services.documents,
    headers: input.headers,
    signal: call.signal,
    executionId: call.head.id,
    hasOneSystemText: model.hasOneSystemText === true,
    isChained: model.chainsResponses === true && input.previousResponseId !== undefined,
  });
  const library = await model.model(input.model);
  const onToken = listenerOf(call, services);
  return await callProvider({
    provider,
    words: model.failure,
    signal: call.signal,
    work: async (abortSignal) => {
      const options = { ...callOptions(input, parts, model), prompt, abortSignal };
      try {
        return await answer(library, options, onToken);
      } catch (error) {
        if (options.temperature === undefined || !isAboutTemperature(error)) throw error;
        const { temperature: _, ...others } = options;
        return await answer(library, others, onToken);
      }
    },
  });
}

/** The last thing said is a tool's answer, and the call before it came without the thoughts that led to it. */
function hasLostThoughts(messages: readonly Message[]): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const call = messages.findLast(({ role }) => role === "tool_call");
  return call?.toolCalls?.some(({ reasoning }) => reasoning !== undefined) !== true;
}

const answer = (model: LanguageModelV4, options: LanguageModelV4CallOptions, onToken: OnToken | undefined) =>
  onToken === undefined ? generate(model, options) : stream(model, options, onToken);

function callOptions(
  input: ChatInput,
  { isReasoning = false, tools = [], providerOptions, maxOutputTokens }: ChatRequestParts,
  { hasJsonMode }: ChatProvider,
): Omit<LanguageModelV4CallOptions, "prompt"> {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, stop } = input;
  const offered = [...toFunctionTools(input.tools), ...tools];
  return {
    maxOutputTokens: maxOutputTokens ?? input.maxTokens,
    ...(temperature === undefined || isReasoning ? {} : { temperature }),
    ...(topP === undefined || isReasoning ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(stop.length === 0 || isReasoning ? {} : { stopSequences: [...stop] }),
    ...(input.jsonOutput === true && hasJsonMode === true ? { responseFormat: { type: "json" as const } } : {}),
    ...(offered.length === 0 ? {} : { tools: offered, toolChoice: { type: "auto" as const } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

/** Tokens are only asked for when someone hears them: a reply that comes whole costs less. */
function listenerOf({ head, task }: OutsideCall, { config, runtime }: AiServices): OnToken | undefined {
  const wanted = config["service.ai.streaming"];
  // Who watches a run hears of the runs inside it a moment after they begin.
  const isWatched = [head.id, head.parentWorkflowId].some((id) => id !== undefined && runtime.tokens.isWatched(id));
  if (wanted === "never" || (wanted === "watched" && !isWatched)) return undefined;
  const of = { executionId: head.id, taskId: taskId(head.id, task.no), referenceTaskName: referenceTaskName(task) };
  return (kind, delta) => runtime.tokens.publish({ ...of, kind, delta });
}
