import { EscapementError, type TaskDefinition } from '@escapement/core';
import { type EffectQuestion, type OutdatedPreview, outdatedPreview, type TaskEffect } from '@escapement/operations';
import type { Database, Task } from '@escapement/store';
import { ProblemError } from '../../http/problem.ts';
import { FIRES, versionOf } from './change-of-task.ts';

/** What a request wants to save. */
export interface AskedSave {
  definition: TaskDefinition;
  /** What it makes of another definition of the task. Default: `definition`. */
  change?: (before: TaskDefinition) => TaskDefinition;
  task: Task | null;
  /** The version that the request names. */
  named?: number | '*' | undefined;
}

/** What was previewed, as far as the request tells, against what would be done now. */
export async function outdatedSave(
  db: Database,
  { definition, change = () => definition, task, named }: AskedSave,
  { from, days, timeZone }: EffectQuestion,
): Promise<OutdatedPreview> {
  const seen = task && typeof named === 'number' && named !== task.version ? await seenVersion(db, task, named) : null;
  const definitionOn = (of: Task | null) => (of ? change(of.definition) : definition);
  return await outdatedPreview(db, { task, seen, definitionOn }, { from, days, timeZone, count: FIRES });
}

/** Null: the task never had it, or it is no definition by now. */
async function seenVersion(db: Database, task: Task, version: number) {
  try {
    return { version, definition: await versionOf(db, task, version) };
  } catch (error) {
    if (error instanceof EscapementError) return null;
    throw error;
  }
}

interface Previewed {
  /** The first fire that the request names. */
  next?: Date | 'none' | undefined;
  /** What the request says that all fires follow from. */
  basis?: string | undefined;
  current: Task | null;
  outdated: () => Promise<OutdatedPreview>;
}

/** Throws `preview_outdated` where the fires are others than were previewed. */
export async function refuseOtherEffect(effect: TaskEffect, asked: Previewed): Promise<void> {
  const detail = differenceOf(effect, asked);
  if (detail === null) return;
  const { current, outdated } = asked;
  throw new ProblemError({
    code: 'preview_outdated',
    detail,
    fix: 'preview it again',
    ...(current ? { current: { version: current.version } } : {}),
    outdated: await outdated(),
  });
}

function differenceOf(effect: TaskEffect, { next, basis }: Previewed): string | null {
  if (next !== undefined && (next === 'none' ? null : next)?.getTime() !== effect.next?.getTime()) {
    const is = effect.next?.toISOString() ?? 'none';
    return `the first fire would be ${is}, not ${next === 'none' ? next : next.toISOString()} as in the preview`;
  }
  if (basis === undefined || basis === effect.basis) return null;
  return 'the schedule, or a calendar of it, is another one than in the preview';
}
