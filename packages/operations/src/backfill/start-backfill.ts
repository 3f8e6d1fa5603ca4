import { type By, EscapementError, judgeBackfill, type Reprocess } from '@escapement/core';
import type { Occurrences, ScheduleSpec } from '@escapement/core/schedule';
import { type Database, insertBackfill, occurrenceRows, pingDatabase, type Task } from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask } from '../tasks/require-task.ts';
import { readOccurrences } from '../tasks/task-occurrences.ts';
import { nextInstants } from './instants.ts';

/** Occurrences of one backfill. */
export const MAX_BACKFILL = 100_000;
const PAGE = 2000;

export interface BackfillAsked {
  task: string;
  /** Included. */
  fromAt: Date;
  /** Included; at most now. */
  toAt: Date;
  /** Default none: only what never ran. */
  reprocess?: Reprocess;
  /** Default 1. */
  concurrency?: number;
  /** Default false: the oldest first. */
  reverse?: boolean;
  by: By;
}

export interface BackfillPreview {
  /** Occurrences in no row. */
  run: number;
  /** Occurrences whose row gets a linked run. */
  rerun: number;
  /** Occurrences left as they are. */
  keep: number;
  /** The first of those to be run, at most 10. */
  first: Date[];
}

/** What a backfill would do, now. Throws as `startBackfill`. */
export async function previewBackfill(db: Database, asked: BackfillAsked): Promise<BackfillPreview> {
  await permitOnTask(db, asked.by, 'read', { name: asked.task, action: 'look' });
  const task = await checkBackfill(db, asked);
  const preview: BackfillPreview = { run: 0, rerun: 0, keep: 0, first: [] };
  for (const instants of pagesOf(await readOccurrences(db, task.definition), asked)) {
    const rows = await occurrenceRows(db, task.id, instants);
    for (const at of instants) {
      const { kind } = judgeBackfill(rows.get(at.getTime()), asked.reprocess ?? 'none');
      preview[kind] += 1;
      if (kind !== 'keep' && preview.first.length < 10) preview.first.push(at);
    }
  }
  return preview;
}

/**
 * Asks for a backfill. Returns its id. Throws `unknown_task`, `no_occurrences` (by hand or counted from the end of
 * runs), `runs_on_every_worker`, `bad_range`, `backfill_too_long`.
 */
export async function startBackfill(db: Database, asked: BackfillAsked): Promise<string> {
  await permitOnTask(db, asked.by, 'trigger', { name: asked.task, action: 'start', subject: { backfill: asked.task } });
  const task = await checkBackfill(db, asked);
  let occurrences = 0;
  for (const instants of pagesOf(await readOccurrences(db, task.definition), asked)) occurrences += instants.length;
  if (occurrences === 0)
    throw new EscapementError('bad_range', `task ${task.name} has no occurrence in ${rangeOf(asked)}`, {
      fix: `see \`escapement next --task ${task.name} --after ${asked.fromAt.toISOString()}\``,
    });
  return await insertBackfill(db, {
    taskId: task.id,
    taskName: task.name,
    fromAt: asked.fromAt,
    toAt: asked.toAt,
    reprocess: asked.reprocess ?? 'none',
    concurrency: asked.concurrency ?? 1,
    reverse: asked.reverse ?? false,
    by: asked.by,
  });
}

async function checkBackfill(db: Database, asked: BackfillAsked): Promise<Task> {
  const task = await requireTask(db, asked.task);
  if (!canBackfill(task.definition.schedule))
    throw new EscapementError(
      'no_occurrences',
      `task ${task.name} has a schedule of kind ${task.definition.schedule.kind}`,
      {
        fix: 'such a schedule has no occurrences to go back over; use `escapement tasks trigger`',
      },
    );
  if (task.definition.runOn)
    throw new EscapementError(
      'runs_on_every_worker',
      `task ${task.name} runs on every worker, and who they were then is not known`,
      {
        fix: `run what is in the ledger again: \`escapement runs list --task ${task.name} --state missed\` and \`escapement runs rerun\``,
      },
    );
  const { now } = await pingDatabase(db);
  if (asked.fromAt > asked.toAt || asked.toAt > now)
    throw new EscapementError('bad_range', `a backfill of ${rangeOf(asked)}`, {
      fix: 'give a --from before --to, and a --to that is not in the future',
    });
  return task;
}

/** Whether a schedule has occurrences that one can go back over. */
function canBackfill({ kind }: ScheduleSpec): boolean {
  return kind !== 'manual' && kind !== 'fixed-delay';
}

function rangeOf({ fromAt, toAt }: BackfillAsked): string {
  return `${fromAt.toISOString()} to ${toAt.toISOString()}`;
}

function* pagesOf(occurrences: Occurrences, asked: BackfillAsked): Iterable<Date[]> {
  const range = { ...asked, reverse: asked.reverse ?? false };
  let cursorAt: Date | null = null;
  for (let seen = 0; ; ) {
    const page: Date[] = nextInstants(occurrences, { ...range, cursorAt }, PAGE);
    seen += page.length;
    if (seen > MAX_BACKFILL)
      throw new EscapementError('backfill_too_long', `${rangeOf(asked)} has more than ${MAX_BACKFILL} occurrences`, {
        fix: 'split the range',
      });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    cursorAt = page.at(-1) ?? null;
  }
}
