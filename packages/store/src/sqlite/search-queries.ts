import type { DatabaseSync } from "node:sqlite";
import type { Clause, RunField, ScheduleRun, Search, TaskField, WorkflowField } from "../port.ts";
import { NO, type Verdicts } from "./block-verdicts.ts";
import { createNamedHits, type NamedHits } from "./named-hits.ts";
import { type RunRow, runColumns, runFromRow, runOrder, runSource } from "./run-source.ts";
import { fixed, type Sql, type Wanted } from "./search-clause.ts";
import { createSearchHits, type ExecutionHit, type TaskHit, type TaskPlace } from "./search-hits.ts";
import { CERTAIN, POSSIBLE, type Probe, probeFor } from "./search-probe.ts";
import { type Word, wordOf } from "./search-text.ts";
import { executionOrder, taskOrder, taskSource, taskTexts } from "./task-source.ts";
import { createTextCandidates, isAmong } from "./text-candidates.ts";
import {
  type WorkflowAccess,
  workflowAccess,
  workflowAccessInOrder,
  workflowOrder,
  workflowSource,
  workflowTexts,
} from "./workflow-source.ts";

export type Page<Hit> = { readonly totalHits: number; readonly results: readonly Hit[] };

export interface SearchQueries {
  workflows(search: Search<WorkflowField>): Page<ExecutionHit>;
  tasks(search: Search<TaskField>): Page<TaskHit>;
  workflowsByTasks(search: Search<TaskField>): Page<ExecutionHit>;
  workflowIds(wanted: Wanted<WorkflowField>, after: string | undefined, limit: number): readonly string[];
  countWorkflows(wanted: Wanted<WorkflowField>): number;
  runs(search: Search<RunField>): Page<ScheduleRun>;
}

type Range = Pick<Search<string>, "start" | "size">;

/** The questions themselves, on a connection that reads. Each is answered from one state of the file. */
export function createSearchQueries(db: DatabaseSync): SearchQueries {
  // Long statements call it now and then, and can be ended there by ending the thread.
  db.function("alive", () => 1);
  const hits = createSearchHits(db);
  const findNamed = createNamedHits(db);
  const findCandidates = createTextCandidates(db);
  const newest = db.prepare("select ifnull(max(no), 0) as n from search");
  const rows = (): number => Number(newest.get()?.["n"]);
  const everything = db.prepare("select count(*) as n from search");

  const count = (what: string, { text, values }: Sql): number =>
    Number(db.prepare(`select ${what} as n ${text}`).get(...values)?.["n"]);

  const countPlain = ({ where }: Wanted<WorkflowField>): number =>
    where.length === 0
      ? Number(everything.get()?.["n"])
      : count("count(*)", workflowSource({ where, rows: rows(), access: workflowAccess(where) }));

  /**
   * Either what matches is sorted, or rows are taken in order until enough of them match. The second wins when so many
   * match that few have to be passed over: it looks at (rows wanted / share that matches) rows, the first at all matches.
   */
  const accessFor = (
    sorted: WorkflowAccess,
    inOrder: WorkflowAccess | undefined,
    { matching, wanted }: { readonly matching: number; readonly wanted: number },
  ): WorkflowAccess => {
    const share = matching / rows();
    return inOrder !== undefined && wanted / share < matching ? inOrder : sorted;
  };

  const page = <Row>(totalHits: number, { start, size }: Range, query: string, values: Sql["values"]): Page<Row> => {
    if (size === 0 || start >= totalHits) return { totalHits, results: [] };
    return { totalHits, results: db.prepare(`${query} limit ? offset ?`).all(...values, size, start) as Row[] };
  };

  const workflowPage = (search: Search<WorkflowField>): Page<{ no: number }> => {
    const { where, sort, start, size } = search;
    const matching = countPlain(search);
    const wanted = start + size;
    const access = accessFor(workflowAccess(where), workflowAccessInOrder(sort), { matching, wanted });
    const { text, values } = workflowSource({ where, rows: rows(), access, sort });
    return page(matching, search, `select s.no ${text} ${workflowOrder(sort)}`, values);
  };

  const taskPage = (search: Search<TaskField>): Page<TaskPlace> => {
    const { where, sort } = search;
    const { text, values } = taskSource({ where, sort });
    return page(
      count("count(*)", taskSource({ where })),
      search,
      `select ${taskPlace} ${text} ${taskOrder(sort)}`,
      values,
    );
  };

  const executionPage = (search: Search<TaskField>): Page<{ no: number }> => {
    const { where, sort } = search;
    const { text, values } = taskSource({ where, sort });
    const totalHits = count("count(distinct t.key >> 24)", taskSource({ where }));
    const query = `select t.key >> 24 as no ${text} group by t.key >> 24 ${executionOrder(sort)}`;
    return page(totalHits, search, query, values);
  };

  /** Those that have the words in their name or their status need not be read. */
  const decideByName = (verdicts: Verdicts, words: readonly Word[]): void => {
    const named = findNamed(words);
    if (named === undefined) return;
    const { text, values } = workflowSource({ where: [], rows: 0, access: named.access, also: named.condition });
    const found = db.prepare(`select json_group_array(s.no) as nos ${text}`).get(...values)?.["nos"];
    for (const no of JSON.parse(String(found)) as readonly number[])
      if (verdicts[no] === POSSIBLE) verdicts[no] = CERTAIN;
  };

  /** Reads what has to be read to be sure. Of those that the condition leaves out nothing is known then. */
  const decide = (verdicts: Verdicts, words: readonly Word[], where: Where): void => {
    let open = isAmong(verdicts, POSSIBLE);
    if (open !== undefined && open.count > MANY) {
      decideByName(verdicts, words);
      open = isAmong(verdicts, POSSIBLE);
    }
    if (open === undefined) return;
    const probe = probeFor(words, workflowTexts);
    const source = workflowSource({
      where,
      rows: rows(),
      access: open.areFew ? "byNumber" : workflowAccess(where),
      also: open.condition,
      readsPayloads: probe !== undefined,
    });
    // They come as one text: as many rows would take longer than to find them.
    const verdict = probe?.verdict ?? String(POSSIBLE);
    const query = db.prepare(`select json_group_array(s.no * 4 + ${verdict}) as decided ${source.text}`);
    const decided = query.get(probe?.patterns ?? {}, ...source.values)?.["decided"];
    for (const one of JSON.parse(String(decided)) as readonly number[]) {
      const no = Math.floor(one / 4);
      const verdict = one % 4;
      verdicts[no] = verdict === POSSIBLE ? (hits.executionHas(no, words) ? CERTAIN : NO) : verdict;
    }
  };

  /** Executions with the words in any of their texts. */
  const hitsByText = ({ where, text }: Wanted<WorkflowField>): Hits => {
    const words = text.map(wordOf);
    const verdicts = findCandidates(words);
    decide(verdicts, words, where);
    const found = isAmong(verdicts, CERTAIN);
    if (found === undefined) return { condition: fixed("0"), access: "byNumber", totalHits: 0 };
    const access = found.areFew ? "byNumber" : workflowAccess(where);
    const { condition } = found;
    if (where.length === 0) return { condition, access, totalHits: found.count };
    const totalHits = count("count(*)", workflowSource({ where, rows: rows(), access, also: condition }));
    return { condition, access, totalHits };
  };

  const textPage = (search: Search<WorkflowField>): Page<{ no: number }> => {
    const { where, sort, start, size } = search;
    const found = hitsByText(search);
    const wanted = { matching: found.totalHits, wanted: start + size };
    const access = accessFor(found.access, workflowAccessInOrder(sort), wanted);
    const { text, values } = workflowSource({ where, rows: rows(), access, also: found.condition, sort });
    return page(found.totalHits, search, `select s.no ${text} ${workflowOrder(sort)}`, values);
  };

  const plainIds = (where: Where, afterId: string, limit: number): string[] => {
    // No more are counted than it takes to know which way is the shorter one.
    const enough = Math.ceil(Math.sqrt(limit * rows())) + 1;
    const counted = workflowSource({ where, rows: rows(), access: workflowAccess(where) });
    const matching = count("count(*)", {
      text: `from (select 1 ${counted.text} limit ${enough})`,
      values: counted.values,
    });
    const access = accessFor(workflowAccess(where), "inIdOrder", { matching, wanted: limit });
    const { text, values } = workflowSource({ where, rows: rows(), access, afterId });
    const ids = db.prepare(`select e.id ${text} order by e.id limit ?`).all(...values, limit);
    return ids.map(({ id }) => String(id));
  };

  const taskMatches = function* ({ where, text, sort }: Search<TaskField>): Generator<TaskPlace> {
    const words = text.map(wordOf);
    const probe = probeFor(words, taskTexts);
    const source = taskSource({ where, probe, sort });
    const query = `select ${taskPlace}, ${isCertain(probe)} ${source.text} ${taskOrder(sort)}`;
    for (const row of db.prepare(query).iterate(probe?.patterns ?? {}, ...source.values)) {
      const { certain, ...place } = row as TaskPlace & { certain: number };
      if (certain === 1 || hits.taskHas(place, words)) yield place;
    }
  };

  const ask = <T>(question: () => T): T => {
    db.exec("begin");
    try {
      return question();
    } finally {
      db.exec("commit");
    }
  };

  return {
    workflows: (search) =>
      ask(() => {
        const found = isPlain(search) ? workflowPage(search) : textPage(search);
        return mapHits(found, ({ no }) => hits.execution(no));
      }),
    tasks: (search) =>
      ask(() => mapHits(isPlain(search) ? taskPage(search) : pageOf(taskMatches(search), search), hits.task)),
    workflowsByTasks: (search) =>
      ask(() => {
        const found = isPlain(search) ? executionPage(search) : pageOf(firstOfEach(taskMatches(search)), search);
        return mapHits(found, ({ no }) => hits.execution(no));
      }),
    workflowIds: ({ where, text }, afterId = "", limit) =>
      ask(() => {
        if (isPlain({ text })) return plainIds(where, afterId, limit);
        const words = text.map(wordOf);
        const verdicts = findCandidates(words);
        const candidates = isAmong(verdicts, POSSIBLE, CERTAIN);
        if (candidates === undefined) return [];
        const access = candidates.areFew ? "byNumber" : "inIdOrder";
        const source = workflowSource({ where, rows: rows(), access, also: candidates.condition, afterId });
        const ids: string[] = [];
        for (const row of db.prepare(`select s.no, e.id ${source.text} order by e.id`).iterate(...source.values)) {
          const { no, id } = row as { no: number; id: string };
          if (verdicts[no] === CERTAIN || hits.executionHas(no, words)) ids.push(id);
          if (ids.length >= limit) break;
        }
        return ids;
      }),
    countWorkflows: (wanted) =>
      ask(() => {
        return isPlain(wanted) ? countPlain(wanted) : hitsByText(wanted).totalHits;
      }),
    runs: (search) =>
      ask(() => {
        const { where, text, sort } = search;
        const { text: source, values } = runSource({ where, texts: text, sort });
        const totalHits = count("count(*)", runSource({ where, texts: text }));
        const { results } = page<RunRow>(totalHits, search, `select ${runColumns} ${source} ${runOrder(sort)}`, values);
        return { totalHits, results: results.map(runFromRow) };
      }),
  };
}

type Where = readonly Clause<WorkflowField>[];
/** With more that have to be read, a look at the names first may save most of it. */
const MANY = 2000;
/** A condition on the search row, and how rows are come by that meet it. */
type Hits = NamedHits & { readonly totalHits: number };

const taskPlace = "t.key >> 24 as no, t.key & 16777215 as taskNo";

const isCertain = (probe: Probe | undefined): string => `${probe?.isCertain ?? "0"} as certain`;

const isPlain = ({ text }: { readonly text: readonly string[] }): boolean => text.length === 0;

function pageOf<Place>(matches: Iterable<Place>, { start, size }: Range): Page<Place> {
  const results: Place[] = [];
  let totalHits = 0;
  for (const place of matches) {
    if (totalHits >= start && results.length < size) results.push(place);
    totalHits++;
  }
  return { totalHits, results };
}

function* firstOfEach(places: Iterable<TaskPlace>): Generator<TaskPlace> {
  const seen = new Set<number>();
  for (const place of places) {
    if (!seen.has(place.no)) yield place;
    seen.add(place.no);
  }
}

const mapHits = <Place, Hit>(
  { totalHits, results }: Page<Place>,
  read: (place: Place) => Hit | undefined,
): Page<Hit> => ({
  totalHits,
  results: results.map(read).filter((hit) => hit !== undefined),
});
