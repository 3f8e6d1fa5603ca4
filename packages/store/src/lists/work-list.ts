import type { By, Json } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type CallingRun, callingRun, notCurrent } from '../calls/current-run.ts';
import { type Database, query } from '../postgres/database.ts';

/** An item that was taken. */
export interface TakenItem {
  place: number;
  item: Json;
}

/**
 * The next item of a list, for a run; null: there is none just now. `done`: the place of the one before, which is confirmed
 * by it. Repeated it gives the same. Throws `run_not_current`.
 */
export async function takeItem(
  db: Database,
  run: CallingRun,
  { list, done }: { list: string; done: number | null },
): Promise<TakenItem | null> {
  const [row] = await query<{ current: boolean; place: string | null; item: Json }>(
    db.pool,
    'take_item',
    'SELECT current, place::text, item FROM take_item($1, $2, $3, $4, $5, $6, $7)',
    [...callingRun(db, run), list, done],
  );
  if (!row?.current) throw notCurrent(run);
  return row.place === null ? null : { place: Number(row.place), item: row.item };
}

/**
 * Adds items to a list for a run that has added `first` before: what an earlier attempt has added is not added again.
 * Returns how many were. Throws `run_not_current`.
 */
export async function addToListFor(
  db: Database,
  run: CallingRun,
  { list, first, items }: { list: string; first: number; items: readonly Json[] },
): Promise<number> {
  const [row] = await query<{ added: number | null }>(
    db.pool,
    'add_to_list_for',
    `SELECT CASE WHEN run_is_current($1, $2, $3, $4, $5) THEN add_to_list($5, $6, $7::jsonb, $1, $8) END AS added`,
    [...callingRun(db, run), list, JSON.stringify(items), first],
  );
  if (!row || row.added === null) throw notCurrent(run);
  return row.added;
}

/** Adds items to the end of a list, which is made by it. */
export async function addToList(db: Database, list: string, items: readonly Json[], by: By): Promise<void> {
  await query(
    db.pool,
    'add_to_list',
    `WITH noted AS (
       ${noteAction({
         by: '$4',
         action: "'add'",
         subject: "'list:' || $2::text",
         detail: "jsonb_build_object('items', jsonb_array_length($3::jsonb))",
         from: '(VALUES (1)) one',
       })}
     )
     SELECT add_to_list($1, $2, $3::jsonb, NULL, NULL)`,
    [db.namespace, list, JSON.stringify(items), toActing(by)],
  );
}

/** A list, as people look at it. */
export interface WorkListView {
  name: string;
  /** Items that nobody has taken. */
  waiting: number;
  /** Items that runs work on. */
  taken: number;
  /** Items that were ever added. */
  added: number;
}

/** All lists, by name. */
export async function workLists(db: Database): Promise<WorkListView[]> {
  const rows = await query<{ name: string; waiting: number; taken: number; added: number }>(
    db.pool,
    'work_lists',
    `SELECT l.name, l.next::float8 AS added, count(i.place) FILTER (WHERE i.run_id IS NULL)::float8 AS waiting,
       count(i.run_id)::float8 AS taken
     FROM work_list l LEFT JOIN work_item i ON i.namespace = l.namespace AND i.list = l.name
     WHERE l.namespace = $1 GROUP BY l.name, l.next ORDER BY l.name`,
    [db.namespace],
  );
  return rows;
}

/** An item of a list, as people look at it. */
export interface WorkItemView extends TakenItem {
  /** The run that has it; null: it waits. */
  runId: string | null;
  takenAt: Date | null;
}

export interface WorkItemsAsked {
  limit: number;
  /** Go on behind this place. Default: from the first item on. */
  after?: number | undefined;
  /** Only items of whose JSON this is a part, in any case. Default: all. */
  contains?: string | undefined;
}

/** Items that are looked through for one page of those that contain a text. */
const MOST_LOOKED_THROUGH = 10_000;

/** Items of a list, in the order in which they are taken, and behind which place it goes on; null: there are no more. */
export async function workItems(
  db: Database,
  list: string,
  { limit, after = -1, contains }: WorkItemsAsked,
): Promise<{ items: WorkItemView[]; next: number | null }> {
  // Equivalent mutant (constant): one row more than the page shows that there are more, and so do two.
  const most = contains === undefined ? limit + 1 : MOST_LOOKED_THROUGH;
  const rows = await query<{
    last: number | null;
    looked: number;
    place: number | null;
    item: Json;
    run_id: string | null;
    taken_at: Date | null;
  }>(
    db.pool,
    'work_items',
    `WITH looked AS MATERIALIZED (
       SELECT place, item, run_id, taken_at FROM work_item
       WHERE namespace = $1 AND list = $2 AND place > $3 ORDER BY place LIMIT $4
     ), found AS (
       SELECT * FROM looked WHERE $5::text IS NULL OR strpos(lower(item::text), lower($5)) > 0 ORDER BY place LIMIT $6
     ), seen AS (
       SELECT max(place)::float8 AS last, count(*)::integer AS looked FROM looked
     )
     SELECT s.last, s.looked, f.place::float8 AS place, f.item, f.run_id, f.taken_at
     FROM seen s LEFT JOIN found f ON true ORDER BY f.place`,
    [db.namespace, list, after, most, contains ?? null, limit],
  );
  const items = rows.flatMap(({ place, item, run_id, taken_at }) =>
    place === null ? [] : [{ place, item, runId: run_id, takenAt: taken_at }],
  );
  const { last = null, looked = 0 } = rows[0] ?? {};
  const lastFound = items.at(-1)?.place ?? null;
  if (items.length === limit && lastFound !== last) return { items, next: lastFound };
  return { items, next: looked === most ? last : null };
}

/** Drops the items of a list that nobody has taken, and the list, if none of it is left. Null: there is no such list. */
export async function dropWorkList(
  db: Database,
  list: string,
  by: By,
): Promise<{ dropped: number; taken: number } | null> {
  const [row] = await query<{ found: boolean; dropped: number; taken: number }>(
    db.pool,
    'drop_work_list',
    `WITH dropped AS (
       DELETE FROM work_item WHERE namespace = $1 AND list = $2 AND run_id IS NULL RETURNING 1
     ), taken AS (
       SELECT count(*) AS count FROM work_item WHERE namespace = $1 AND list = $2 AND run_id IS NOT NULL
     ), gone AS (
       DELETE FROM work_list WHERE namespace = $1 AND name = $2 AND (SELECT count FROM taken) = 0
     ), noted AS (
       ${noteAction({
         by: '$3',
         action: "'drop'",
         subject: "'list:' || l.name",
         detail: "jsonb_build_object('items', (SELECT count(*) FROM dropped))",
         from: '(SELECT name FROM work_list WHERE namespace = $1 AND name = $2) l',
       })}
     )
     SELECT EXISTS (SELECT FROM work_list WHERE namespace = $1 AND name = $2) AS found,
       (SELECT count(*) FROM dropped)::integer AS dropped, (SELECT count FROM taken)::integer AS taken`,
    [db.namespace, list, toActing(by)],
  );
  return row?.found ? { dropped: row.dropped, taken: row.taken } : null;
}
