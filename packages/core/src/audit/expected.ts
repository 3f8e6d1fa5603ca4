import { oracleFires } from '../schedule/oracle/fires.ts';
import type { AuditQuestion, InForce } from './audit.ts';

/** When a task was due in (from, to], each instant by the version that was in force, the earliest first. */
export function expectedFires(question: Pick<AuditQuestion, 'name' | 'versions' | 'from' | 'to'>): number[] {
  const found = new Set<number>();
  for (const version of question.versions) {
    const from = new Date(Math.max(question.from.getTime(), version.effectiveAt.getTime() - 1));
    const to = new Date(Math.min(question.to.getTime(), (version.endedAt?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
    if (from >= to) continue;
    for (const at of oracleFires(version.schedule, from, to, { seed: question.name })) found.add(at.getTime());
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * Whether a version may have made a row of an instant that the oracle does not say: a date that had passed when it was
 * saved, or whatever instant a run before had its end.
 */
export function mayHaveFired({ schedule, effectiveAt, endedAt }: InForce, at: number): boolean {
  if (schedule.kind === 'once') return Date.parse(schedule.at) === at && at < effectiveAt.getTime();
  if (schedule.kind !== 'fixed-delay') return false;
  return effectiveAt.getTime() <= at && at < (endedAt?.getTime() ?? Number.POSITIVE_INFINITY);
}
