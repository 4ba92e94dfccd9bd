import type { FoundExecution, FoundTask, Search, SearchPage, TaskField, WorkflowField } from "../port.ts";
import { longestPiece, type Word, wordOf } from "../sqlite/search-text.ts";
import { mayContain } from "../sqlite/signature.ts";
import { findNamedHits, type NamedHits } from "./named-hits.ts";
import { findRuns } from "./run-source.ts";
import { Values, type Wanted } from "./search-clause.ts";
import { executionsWith, keyOf, readExecutions, readTasks, type TaskPlace, tasksWith } from "./search-hits.ts";
import { type Probe, probeFor } from "./search-probe.ts";
import type { Ask } from "./searcher.ts";
import { findSettledHits } from "./settled-hits.ts";
import { statusesWith } from "./statuses.ts";
import { executionOrder, taskOrder, taskSource, taskTexts } from "./task-source.ts";
import { safeText } from "./text.ts";
import { type Signature, workflowOrder, workflowOrderOfFew, workflowSource, workflowTexts } from "./workflow-source.ts";

/** The questions themselves, each on a connection that sees one state of the database. */
export const searchQueries = {
  async workflows(ask: Ask, search: Search<WorkflowField>): Promise<SearchPage<FoundExecution>> {
    const { totalHits, results } = isPlain(search) ? await workflowPage(ask, search) : await textPage(ask, search);
    return { totalHits, results: await readExecutions(ask, results) };
  },

  async tasks(ask: Ask, search: Search<TaskField>): Promise<SearchPage<FoundTask>> {
    const { totalHits, results } = isPlain(search)
      ? await taskPage(ask, search)
      : await pageOf(taskMatches(ask, search), search);
    return { totalHits, results: await readTasks(ask, results) };
  },

  async workflowsByTasks(ask: Ask, search: Search<TaskField>): Promise<SearchPage<FoundExecution>> {
    const { totalHits, results } = isPlain(search)
      ? await executionPage(ask, search)
      : await pageOf(firstOfEach(taskMatches(ask, search)), search);
    return { totalHits, results: await readExecutions(ask, results) };
  },

  async workflowIds(ask: Ask, wanted: Wanted<WorkflowField>, after: string, limit: number): Promise<string[]> {
    const words = wanted.text.map(wordOf);
    const settled = words.length === 0 ? undefined : await findSettledHits(ask, words);
    const ids: string[] = [];
    // Matches are found in lots, because signatures let some pass that are none.
    for (let afterId = safeText(after); ids.length < limit; ) {
      const values = new Values();
      const source = workflowSource(values, {
        where: wanted.where,
        signature: signatureFor(words, settled?.isAny),
        afterId,
      });
      const lot = words.length === 0 ? limit : LOT;
      const rows = await ask<{ id: string }>(`select s.id ${source} order by s.id limit ${lot}`, values.list);
      const found = rows.map(({ id }) => id);
      const certain = words.length === 0 ? undefined : await executionsWith(ask, found, words);
      ids.push(...found.filter((id) => certain === undefined || certain.has(id)));
      const last = found.at(-1);
      if (last === undefined || found.length < lot) break;
      afterId = last;
    }
    return ids.slice(0, limit);
  },

  async countWorkflows(ask: Ask, wanted: Wanted<WorkflowField>): Promise<number> {
    if (isPlain(wanted)) return countWorkflows(ask, wanted);
    return (await textPage(ask, { ...wanted, sort: [], start: 0, size: 0 })).totalHits;
  },

  runs: findRuns,
};

/** How many candidates are read at once to see whether they match. */
const LOT = 1000;
/** So many are sorted in no time. */
const FEW = 2000;

type Page<Place> = { readonly totalHits: number; readonly results: readonly Place[] };
type Range = Pick<Search<string>, "start" | "size">;

async function countWorkflows(
  ask: Ask,
  { where }: Pick<Wanted<WorkflowField>, "where">,
  also?: NamedHits,
): Promise<number> {
  const values = new Values();
  const source = workflowSource(values, { where, also });
  return (await ask<{ n: number }>(`select count(*) as n ${source}`, values.list))[0]?.n ?? 0;
}

const workflowPage = async (ask: Ask, search: Search<WorkflowField>): Promise<Page<string>> =>
  await idPage(ask, search, await countWorkflows(ask, search));

function idPage(ask: Ask, search: Search<WorkflowField>, totalHits: number, also?: NamedHits): Promise<Page<string>> {
  const { where, sort } = search;
  const read = async (order: string, range: string): Promise<string[]> => {
    const values = new Values();
    const source = workflowSource(values, { where, also, sort });
    const rows = await ask<{ id: string }>(`select s.id ${source} ${order} ${range}`, values.list);
    return rows.map(({ id }) => id);
  };
  const { start, size } = search;
  if (totalHits <= FEW) return page(totalHits, search, (range) => read(workflowOrderOfFew(sort), range));
  if (start < totalHits / 2) return page(totalHits, search, (range) => read(workflowOrder(sort), range));
  // Those before a page have to be gone through: from the end there are fewer.
  const end = Math.min(start + size, totalHits);
  const fromEnd = { start: totalHits - end, size: Math.max(0, end - start) };
  return page(totalHits, fromEnd, async (range) => (await read(workflowOrder(reversed(sort)), range)).reverse());
}

const reversed = (sort: Search<WorkflowField>["sort"]): Search<WorkflowField>["sort"] =>
  sort.length === 0
    ? [{ field: "workflowId", order: "DESC" }]
    : sort.map(({ field, order }) => ({ field, order: order === "ASC" ? "DESC" : "ASC" }));

/** Hits that need not be read, by their name, their status or a common word, and others by their texts. */
async function textPage(ask: Ask, search: Search<WorkflowField>): Promise<Page<string>> {
  const { where, text } = search;
  const words = text.map(wordOf);
  const settled = await findSettledHits(ask, words);
  const isNamed = await findNamedHits(ask, words);
  const isSure = isNamed ?? (settled?.certain === 0 ? undefined : settled?.isCertain);
  if (isSure === undefined) return pageOf(workflowMatches(ask, search, settled?.isPossible), search);
  const isCounted = isNamed === undefined && where.length === 0;
  const sure = isCounted ? (settled?.certain ?? 0) : await countWorkflows(ask, { where }, isSure);
  const others: string[] = [];
  const candidates = isNamed === undefined ? settled?.isPossible : settled?.isAny;
  const isOther: NamedHits = (values) => `not (${isSure(values)})`;
  const isCandidate: NamedHits | undefined = candidates && ((values) => `${candidates(values)} and ${isOther(values)}`);
  for await (const id of workflowMatches(ask, { where, text, sort: [] }, isCandidate, isOther)) others.push(id);
  if (others.length === 0) return idPage(ask, search, sure, isSure);
  const isHit: NamedHits = (values) => `(${isSure(values)} or s.id = any(${values.add(others)}::text[]))`;
  return idPage(ask, search, sure + others.length, isHit);
}

async function taskPage(ask: Ask, search: Search<TaskField>): Promise<Page<TaskPlace>> {
  const { where, sort } = search;
  const counted = new Values();
  const count = `select count(*) as n ${taskSource(counted, { where })}`;
  const totalHits = (await ask<{ n: number }>(count, counted.list))[0]?.n ?? 0;
  return page(totalHits, search, (range) => {
    const values = new Values();
    const source = taskSource(values, { where, sort });
    return ask<TaskPlace>(`select t.exec, t.no ${source} ${taskOrder(sort)} ${range}`, values.list);
  });
}

async function executionPage(ask: Ask, search: Search<TaskField>): Promise<Page<string>> {
  const { where, sort } = search;
  const counted = new Values();
  const count = `select count(distinct t.exec) as n ${taskSource(counted, { where })}`;
  const totalHits = (await ask<{ n: number }>(count, counted.list))[0]?.n ?? 0;
  return page(totalHits, search, async (range) => {
    const values = new Values();
    const source = taskSource(values, { where, sort });
    const query = `select t.exec ${source} group by t.exec ${executionOrder(sort)} ${range}`;
    return (await ask<{ exec: string }>(query, values.list)).map(({ exec }) => exec);
  });
}

async function page<Place>(
  totalHits: number,
  { start, size }: Range,
  read: (range: string) => Promise<readonly Place[]>,
): Promise<Page<Place>> {
  if (size === 0 || start >= totalHits) return { totalHits, results: [] };
  return { totalHits, results: await read(`limit ${Math.floor(size)} offset ${Math.floor(start)}`) };
}

async function* workflowMatches(
  ask: Ask,
  { where, text, sort }: Pick<Search<WorkflowField>, "where" | "text" | "sort">,
  settled: NamedHits | undefined,
  also?: NamedHits,
): AsyncGenerator<string> {
  const words = text.map(wordOf);
  const values = new Values();
  const probe = probeFor(values, words, workflowTexts);
  const source = workflowSource(values, {
    where,
    also,
    signature: signatureFor(words, settled),
    probe,
    sort,
  });
  const query = `select s.id, ${isCertain(probe)} as certain ${source} ${workflowOrder(sort)}`;
  for await (const lot of ask.inLots<{ id: string; certain: boolean }>(query, values.list, LOT)) {
    const open = lot.filter(({ certain }) => !certain).map(({ id }) => id);
    const found = await executionsWith(ask, open, words);
    for (const { id, certain } of lot) if (certain || found.has(id)) yield id;
  }
}

async function* taskMatches(ask: Ask, { where, text, sort }: Search<TaskField>): AsyncGenerator<TaskPlace> {
  const words = text.map(wordOf);
  const values = new Values();
  const probe = probeFor(values, words, taskTexts);
  const source = taskSource(values, { where, probe, sort });
  const query = `select t.exec, t.no, ${isCertain(probe)} as certain ${source} ${taskOrder(sort)}`;
  for await (const lot of ask.inLots<TaskPlace & { certain: boolean }>(query, values.list, LOT)) {
    const found = await tasksWith(
      ask,
      lot.filter(({ certain }) => !certain),
      words,
    );
    for (const { exec, no, certain } of lot) if (certain || found.has(keyOf({ exec, no }))) yield { exec, no };
  }
}

const isCertain = (probe: Probe | undefined): string => (probe === undefined ? "false" : `(${probe.isCertain})`);

const isPlain = ({ text }: { readonly text: readonly string[] }): boolean => text.length === 0;

/** By the longest piece: it says most. Undefined when it is too short to say anything. */
function signatureFor(words: readonly Word[], settled: NamedHits | undefined): Signature | undefined {
  const longest = longestPiece(words);
  const condition = mayContain(longest, "g");
  return condition === undefined ? undefined : { condition, statuses: statusesWith(longest), settled };
}

async function pageOf<Place>(matches: AsyncIterable<Place>, { start, size }: Range): Promise<Page<Place>> {
  const results: Place[] = [];
  let totalHits = 0;
  for await (const place of matches) {
    if (totalHits >= start && results.length < size) results.push(place);
    totalHits++;
  }
  return { totalHits, results };
}

async function* firstOfEach(places: AsyncIterable<TaskPlace>): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { exec } of places) {
    if (!seen.has(exec)) yield exec;
    seen.add(exec);
  }
}
