import type { DatabaseSync } from "node:sqlite";
import type { RunField, ScheduleRun, Search, TaskField, WorkflowField } from "../port.ts";
import type { Value } from "./encode.ts";
import { createNamedHits, type NamedHits } from "./named-hits.ts";
import { type RunRow, runColumns, runFromRow, runOrder, runSource } from "./run-source.ts";
import type { Sql, Wanted } from "./search-clause.ts";
import { createSearchHits, type ExecutionHit, type TaskHit, type TaskPlace } from "./search-hits.ts";
import { CERTAIN, POSSIBLE, type Probe, probeFor } from "./search-probe.ts";
import { type Word, wordOf } from "./search-text.ts";
import { mayContain } from "./signature.ts";
import { executionOrder, taskOrder, taskSource, taskTexts } from "./task-source.ts";
import {
  type WorkflowAccess,
  type WorkflowSource,
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

  const page = <Row>(totalHits: number, { start, size }: Range, query: string, values: readonly Value[]): Page<Row> => {
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

  /** `also` and `areFew` as for `workflowSource`. */
  const workflowMatches = function* (
    { where, text, sort }: Omit<Search<WorkflowField>, "start" | "size">,
    more: Pick<WorkflowSource, "also" | "areFew"> = {},
  ): Generator<{ no: number }> {
    const words = text.map(wordOf);
    const probe = probeFor(words, workflowTexts);
    const source = workflowSource({
      where,
      rows: rows(),
      access: workflowAccess(where),
      signature: signatureFor(words),
      readsPayloads: probe !== undefined,
      sort,
      ...more,
    });
    // Candidates come as one text: as many rows would take longer than to find them.
    const candidates = `select s.no * 4 + ${probe?.verdict ?? POSSIBLE} as candidate ${source.text} ${workflowOrder(sort)}`;
    const query = db.prepare(`select json_group_array(candidate) as candidates from (${candidates})`);
    const found = query.get(probe?.patterns ?? {}, ...source.values)?.["candidates"];
    let last = 0;
    for (const candidate of JSON.parse(String(found)) as readonly number[]) {
      const no = Math.floor(candidate / 4);
      const verdict = candidate % 4;
      if (no !== last && (verdict === CERTAIN || (verdict === POSSIBLE && hits.executionHas(no, words)))) yield { no };
      last = no;
    }
  };

  /** Hits by their name or status, and others by their texts; undefined when there are none of the first kind. */
  const namedHits = ({ where, text }: Wanted<WorkflowField>): NamedAndOthers | undefined => {
    const named = findNamed(where, text.map(wordOf));
    if (named === undefined) return undefined;
    const { condition, access } = named;
    const hitsByName = count("count(*)", workflowSource({ where, rows: rows(), access, also: condition }));
    const all = countPlain({ where, text: [] });
    if (hitsByName === all) return { ...named, totalHits: all };
    const also = { text: `not (${condition.text})`, values: condition.values };
    const areFew = all - hitsByName < all * FEW;
    const others = [...workflowMatches({ where, text, sort: [] }, { also, areFew })].map(({ no }) => no);
    if (others.length === 0) return { ...named, totalHits: hitsByName };
    return {
      condition: {
        text: `(${condition.text} or s.no in (select value from json_each(?)))`,
        values: [...condition.values, JSON.stringify(others)],
      },
      access: workflowAccess(where),
      totalHits: hitsByName + others.length,
    };
  };

  const namedPage = (search: Search<WorkflowField>): Page<{ no: number }> | undefined => {
    const { where, sort, start, size } = search;
    const named = namedHits(search);
    if (named === undefined) return undefined;
    const wanted = { matching: named.totalHits, wanted: start + size };
    const access = accessFor(named.access, workflowAccessInOrder(sort), wanted);
    const { text, values } = workflowSource({ where, rows: rows(), access, also: named.condition, sort });
    return page(named.totalHits, search, `select s.no ${text} ${workflowOrder(sort)}`, values);
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
        const found = isPlain(search)
          ? workflowPage(search)
          : (namedPage(search) ?? pageOf(workflowMatches(search), search));
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
        const words = text.map(wordOf);
        const matching = isPlain({ text }) ? countPlain({ where, text }) : 0;
        const access = accessFor(workflowAccess(where), "inIdOrder", { matching, wanted: limit });
        const source = workflowSource({ where, rows: rows(), access, signature: signatureFor(words), afterId });
        const most = isPlain({ text }) ? limit : -1;
        const query = db.prepare(`select s.no, e.id ${source.text} order by e.id limit ?`);
        const ids: string[] = [];
        for (const row of query.iterate(...source.values, most)) {
          if (ids.length >= limit) break;
          const { no, id } = row as { no: number; id: string };
          if (id !== ids.at(-1) && (words.length === 0 || hits.executionHas(no, words))) ids.push(id);
        }
        return ids;
      }),
    countWorkflows: (wanted) =>
      ask(() => {
        if (isPlain(wanted)) return countPlain(wanted);
        const named = namedHits(wanted);
        return named?.totalHits ?? workflowMatches({ ...wanted, sort: [] }).reduce((sum) => sum + 1, 0);
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

type NamedAndOthers = NamedHits & { readonly totalHits: number };

/** A share of all: with fewer left, looking up their signatures takes less time than going through all of them. */
const FEW = 0.1;

const taskPlace = "t.key >> 24 as no, t.key & 16777215 as taskNo";

const isCertain = (probe: Probe | undefined): string => `${probe?.isCertain ?? "0"} as certain`;

const isPlain = ({ text }: { readonly text: readonly string[] }): boolean => text.length === 0;

/** By the longest piece: it says most. */
function signatureFor(words: readonly Word[]): string | undefined {
  const longest = words.flat().reduce((one, other) => (other.length > one.length ? other : one), "");
  return mayContain(longest, "g");
}

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
