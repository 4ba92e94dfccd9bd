type Json = Record<string, unknown>;

const turn = { name: "llm", taskReferenceName: "llm", type: "LLM_CHAT_COMPLETE", retryCount: 0 };

/** A conversation of so many turns, with what follows each. */
export const talk = (name: string, turns: number, more: Json = {}, ...after: readonly Json[]): Json => ({
  name,
  version: 1,
  ownerEmail: "test@example.com",
  tasks: [
    {
      name: "loop",
      taskReferenceName: "loop",
      type: "DO_WHILE",
      loopCondition: `$.loop['iteration'] < ${turns}`,
      inputParameters: more,
      loopOver: [
        {
          ...turn,
          inputParameters: {
            llmProvider: "openai",
            model: "gpt-4o",
            messages: [{ role: "user", message: "Begin" }],
            ...(after.length === 0 ? {} : { tools: [{ name: "lookup" }] }),
          },
        },
        ...after,
      ],
    },
  ],
});

const callsOfTurn =
  '(.toolCalls // []) as $c | {tasks: [$c[] | {name, taskReferenceName, type: "JSON_JQ_TRANSFORM"}], inputs: ([$c[] | {key: .taskReferenceName, value: {key: .inputParameters.key, queryExpression: "{found: .key}"}}] | from_entries)}';

/** The tools a turn called, side by side, as an agent runs them. */
export const toolsOfTurn: readonly Json[] = [
  {
    name: "calls",
    taskReferenceName: "calls",
    type: "JSON_JQ_TRANSFORM",
    inputParameters: { toolCalls: "${llm.output.toolCalls}", queryExpression: callsOfTurn },
  },
  {
    name: "fork",
    taskReferenceName: "fork",
    type: "FORK_JOIN_DYNAMIC",
    inputParameters: { tasks: "${calls.output.result.tasks}", inputs: "${calls.output.result.inputs}" },
    dynamicForkTasksParam: "tasks",
    dynamicForkTasksInputParamName: "inputs",
  },
  { name: "join", taskReferenceName: "join", type: "JOIN" },
];
