import { expect, test } from "vitest";
import { hasMiniLm, serveMiniLm } from "../support/minilm.ts";
import { aToolServer } from "../support/tool-server.ts";
import { waitFor } from "../support/wait-for.ts";

const animals = [
  "hedgehog",
  "otter",
  "badger",
  "heron",
  "salmon",
  "honeybee",
  "red fox",
  "barn owl",
  "wild boar",
  "grey seal",
  "stag beetle",
  "adder",
  "kingfisher",
  "pine marten",
  "brown bear",
  "wolf",
  "lynx",
  "beaver",
  "reindeer",
  "puffin",
  "gannet",
  "porpoise",
  "eel",
  "pike",
  "newt",
  "toad",
  "bat",
  "hare",
  "mole",
  "shrew",
  "raven",
  "skylark",
  "swift",
  "cuckoo",
  "nightingale",
  "capercaillie",
  "ptarmigan",
  "eagle",
  "osprey",
  "buzzard",
  "dragonfly",
  "grasshopper",
  "earthworm",
  "snail",
  "jellyfish",
  "starfish",
  "lobster",
  "mussel",
  "oyster",
  "octopus",
];

/** Twenty things that are said of each: a thousand passages. */
const sayings: readonly ((animal: string) => string)[] = [
  (a) => `In winter the ${a} changes its habits to get through the cold months.`,
  (a) => `The diet of the ${a} depends on what the season offers; this is what it eats.`,
  (a) => `Young of the ${a} are born or hatch in spring and are raised for some weeks.`,
  (a) => `The ${a} is heard by its voice, which carries far on still evenings.`,
  (a) => `Roads and traffic are a danger to the ${a}, and many are killed by cars each year.`,
  (a) => `Laws protect the ${a}: hunting or catching it needs a licence.`,
  (a) => `In old tales the ${a} stands for cunning or for luck.`,
  (a) => `The ${a} can be counted by volunteers, who report sightings to a register.`,
  (a) => `Diseases and parasites of the ${a} are studied by veterinarians.`,
  (a) => `The eyesight of the ${a} is suited to the light in which it is active.`,
  (a) => `How old a ${a} grows depends on food and luck; its lifespan is known from marked ones.`,
  (a) => `The ${a} measures and weighs about as much as the field guides say; its size differs by region.`,
  (a) => `Farmers have mixed feelings about the ${a}, which may harm or help the crops.`,
  (a) => `The ${a} travels: its migration and wandering were followed by radio tags.`,
  (a) => `Fossils of ancestors of the ${a} tell of its evolution over millions of years.`,
  (a) => `To photograph a ${a} one needs patience, a hide and a long lens.`,
  (a) => `The ${a} sleeps and rests in a place that is well hidden.`,
  (a) => `Climate change and warming move the range of the ${a} to the north.`,
  (a) => `The scientific name of the ${a} was given by Linnaeus or one of his followers.`,
  (a) => `Zoos that keep the ${a} must give it an enclosure of a certain kind.`,
];

const questions: readonly (readonly [question: string, animal: string, saying: number])[] = [
  ["What does a hedgehog feed on?", "hedgehog", 1],
  ["Are otters run over by vehicles?", "otter", 4],
  ["Is it legal to shoot a badger?", "badger", 5],
  ["Which camera gear do I need for pictures of a heron?", "heron", 15],
  ["How long does a salmon live?", "salmon", 10],
  ["Which illnesses do honeybees get?", "honeybee", 8],
  ["What role does the fox play in folklore?", "red fox", 6],
  ["How well can a barn owl see in the dark?", "barn owl", 9],
  ["Do wild boars damage fields?", "wild boar", 12],
  ["How heavy is a grey seal?", "grey seal", 11],
  ["Does global warming affect reindeer?", "reindeer", 17],
  ["Where do puffins go when they migrate?", "puffin", 13],
  ["What sound does the nightingale make?", "nightingale", 3],
  ["Where does a mole sleep?", "mole", 16],
  ["How do bears survive the winter?", "brown bear", 0],
  ["Captivity conditions for the wolf in a zoo", "wolf", 19],
  ["What is the Latin name of the eel?", "eel", 18],
  ["From which prehistoric creatures does the octopus descend?", "octopus", 14],
  ["When are baby hares born?", "hare", 2],
  ["Citizen science project counting dragonflies", "dragonfly", 7],
];

test.runIf(hasMiniLm)("a real model finds the right passages among a thousand", { timeout: 420_000 }, async () => {
  const { client, runTask } = await aToolServer({
    ...(await serveMiniLm()),
    // As much as the little model can answer.
    "service.ai.max-concurrent-calls": "4",
  });
  const model = {
    embeddingModelProvider: "openai",
    embeddingModel: "all-MiniLM-L6-v2",
    index: "nature",
    namespace: "animals",
  };
  const passages = animals.flatMap((animal, a) => sayings.map((say, s) => ({ docId: `${a}-${s}`, text: say(animal) })));
  expect(passages).toHaveLength(1000);

  const refs = passages.map(({ docId }) => `index_${docId}`);
  const begun = performance.now();
  await client.register({
    name: "index_all",
    version: 1,
    schemaVersion: 2,
    ownerEmail: "a@example.com",
    timeoutSeconds: 0,
    tasks: [
      {
        name: "fork",
        taskReferenceName: "fork",
        type: "FORK_JOIN_DYNAMIC",
        dynamicForkTasksParam: "tasks",
        dynamicForkTasksInputParamName: "inputs",
        inputParameters: { tasks: "${workflow.input.tasks}", inputs: "${workflow.input.inputs}" },
      },
      { name: "join", taskReferenceName: "join", type: "JOIN" },
    ],
  });
  const id = await client.start("index_all", {
    tasks: refs.map((ref) => ({ name: "index", taskReferenceName: ref, type: "LLM_INDEX_TEXT" })),
    inputs: Object.fromEntries(passages.map((passage, at) => [refs[at], { ...model, ...passage }])),
  });
  const ended = await waitFor(
    () => client.execution(id).then(({ status }) => (status === "RUNNING" ? undefined : status)),
    240_000,
  );
  expect(ended).toBe("COMPLETED");
  const indexedMs = performance.now() - begun;

  let isFirst = 0;
  const missed: string[] = [];
  for (const [query, animal, saying] of questions) {
    const { outputData } = await runTask("LLM_SEARCH_INDEX", { ...model, query, maxResults: 3 });
    const found = (outputData["result"] as { docId: string }[]).map(({ docId }) => docId);
    const wanted = `${animals.indexOf(animal)}-${saying}`;
    if (found[0] === wanted) isFirst += 1;
    if (!found.includes(wanted)) missed.push(`${query}: ${found.join(", ")}`);
  }
  process.stdout.write(
    `1000 passages indexed in ${Math.round(indexedMs / 100) / 10} s; of ${questions.length} questions ${isFirst} found theirs first, ${questions.length - missed.length} among three\n`,
  );
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(1);
  expect(isFirst).toBeGreaterThanOrEqual(17);
});
