import { isDeepStrictEqual } from 'node:util';
import {
  type By,
  checkTask,
  EscapementError,
  PRINCIPALS_OF_TRUST,
  type TaskDefinition,
  type TaskInput,
} from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import { redactDefinition } from '@escapement/core/mask';
import { parseSchedule } from '@escapement/core/schedule';
import {
  type Database,
  findRunsBehind,
  findTask,
  followPool,
  listCalendars,
  pingDatabase,
  putTaskChange,
  saveTask as saveVersion,
  type Task,
  taskVersions,
} from '@escapement/store';
import { checkFollowers } from '../followers/check-followers.ts';
import { permitSave } from '../rights/permit.ts';
import { refuseOtherLine } from '../shadow/line-tasks.ts';
import { checkEgress } from './check-egress.ts';
import { checkSecrets } from './check-secrets.ts';
import { firstRun } from './first-run.ts';
import { planBeforeEdit } from './plan-before-edit.ts';
import { checkLimit, checkRate, type SavedTogether } from './shared-keys.ts';
import { taskOccurrences } from './task-occurrences.ts';

export interface SaveContext {
  /** Who manages the task: `code`, `crontab:<name>`, `cli`. */
  source: string;
  /** Its reason is kept with the version. */
  by: By;
  /** Asked with the task as it is, before it is written over and as often as it changes meanwhile. A throw ends the save. */
  guard?: (current: Task | null) => Promise<void>;
  /**
   * From when on the definition counts. Default: now. Throws `bad_effective` for an instant that has passed. Until then it is kept; a task that
   * has changed meanwhile stays as it is, and what was kept tells so.
   */
  effectiveAt?: Date;
  /** Where requests of tasks may go. Default: to public addresses. */
  egress?: EgressPolicy | undefined;
  /** A person edits a task that may belong to a file or code: that is kept with the version. Default: false. */
  edited?: boolean;
  /** Tasks that are saved with it and ask for the same limits and rates of the keys that they share. */
  together?: SavedTogether;
  /** A new task is paused from the first moment on, with this note. Default: it is not paused. */
  pausedNote?: string | undefined;
  /** The name that the task has until now, where the definition has another one; see `renameTask`. */
  renamedFrom?: string;
}

export type SaveResult =
  /** It is kept until then; a scheduler saves it. */
  | { kind: 'scheduled'; effectiveAt: Date }
  | { kind: 'created' | 'updated'; version: number }
  | { kind: 'unchanged'; version: number };

/** Times a save starts over because planners or other people changed the task meanwhile. */
const MAX_RACES = 20;

/**
 * Checks and saves a task. It takes effect at once, or at the instant asked for, and never retroactively: occurrences
 * before are accounted for by the old definition, those from then on by the new one. Saving what is there already
 * changes nothing. Throws `EscapementError` for a bad definition.
 */
export async function saveTask(db: Database, input: TaskInput, context: SaveContext): Promise<SaveResult> {
  const definition = checkTask(input);
  await permitSave(db, context.by, definition);
  checkEgress(definition, context.egress);
  await checkSecrets(db, definition);
  const { effectiveAt } = context;
  if (effectiveAt === undefined) return await saveDefinition(db, definition, context);
  await checkLimit(db, definition, context.together);
  await checkRate(db, definition, context.together);
  await checkFollowers(db, definition);
  const { now } = await pingDatabase(db);
  if (effectiveAt <= now)
    throw new EscapementError('bad_effective', `the change is to count from ${effectiveAt.toISOString()} on`, {
      fix: 'give an instant that is still to come, or none: nothing changes retroactively',
    });
  const { source, by } = context;
  const current = await findTask(db, definition.name);
  await context.guard?.(current);
  if (current) await refuseOtherLine(db, current, definition);
  const basedOn = current?.version ?? 0;
  await putTaskChange(db, { definition, redacted: redactDefinition(definition), effectiveAt, source, by, basedOn });
  return { kind: 'scheduled', effectiveAt };
}

/** Saves a definition that counts from `context.effectiveAt` on, which may be a little ahead or have passed. */
export async function saveDefinition(
  db: Database,
  definition: TaskDefinition,
  context: SaveContext,
): Promise<Exclude<SaveResult, { kind: 'scheduled' }>> {
  await checkLimit(db, definition, context.together);
  await checkRate(db, definition, context.together);
  await checkFollowers(db, definition);
  for (let race = 0; race < MAX_RACES; race++) {
    const current = await findTask(db, context.renamedFrom ?? definition.name);
    await permitSave(db, context.by, definition);
    await context.guard?.(current);
    if (current) await refuseOtherLine(db, current, definition);
    if (current && isAsSaved(current, definition, context) && !(await takesOver(db, current, context.by)))
      return { kind: 'unchanged', version: current.version };
    const { now } = await pingDatabase(db);
    const from = context.effectiveAt ?? now;
    const stored = await listCalendars(db);
    if (current && (await planBeforeEdit(db, current, { now, from }, stored))) continue;
    const occurrences = taskOccurrences(
      parseSchedule(definition.schedule, { seed: definition.name }),
      definition.calendars,
      stored,
    );
    const saved = await saveVersion(db, {
      definition,
      schedule: definition.schedule,
      keyTemplate: definition.key ?? definition.name,
      source: context.source,
      by: context.by,
      redacted: { before: current && redactDefinition(current.definition), after: redactDefinition(definition) },
      expectedPlanSeq: current?.planSeq ?? null,
      renamedFrom: context.renamedFrom,
      edited: context.edited,
      pausedNote: context.pausedNote,
      effectiveAt: from,
      nextRunAt: firstRun(definition, occurrences, { from, isNew: current === null }),
    });
    if (!saved) continue;
    if (current && current.definition.pool !== definition.pool) await sendRunsOn(db, definition.name);
    return { kind: current ? 'updated' : 'created', version: saved.version };
  }
  throw new EscapementError('save_races', `task ${definition.name} kept changing while it was saved`, {
    fix: 'try again',
  });
}

/** Runs that go to the new pool of their task before the edit is answered; a scheduler sends the others. */
const SENT_AT_ONCE = 500;

/** The edit is written by now, and does not fail any more: what is not done here a scheduler does. */
async function sendRunsOn(db: Database, name: string): Promise<void> {
  try {
    await followPool(db, await findRunsBehind(db, { name, limit: SENT_AT_ONCE }));
  } catch {
    return;
  }
}

function isAsSaved(current: Task, definition: TaskDefinition, { source }: SaveContext): boolean {
  return (
    current.unreadable === undefined && current.source === source && isDeepStrictEqual(current.definition, definition)
  );
}

/** Runs start others by the rights of who saved their task: one of a user or token, saved by another one, is a version of the latter. */
async function takesOver(db: Database, { id, version }: Task, { principal }: By): Promise<boolean> {
  if (principal.kind === 'process') return false;
  const [saved] = await taskVersions(db, [{ taskId: id, version }]);
  if (!saved || PRINCIPALS_OF_TRUST.includes(saved.savedBy.kind)) return false;
  return saved.savedBy.kind !== principal.kind || saved.savedBy.id !== principal.id;
}
