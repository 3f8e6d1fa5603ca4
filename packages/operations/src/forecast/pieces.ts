import { DAY, EscapementError, HOUR } from '@escapement/core';
import { firesBetween, parseSchedule } from '@escapement/core/schedule';

/** Pieces of a time, by the clock of a zone: each is as long as it says but where the clock changes. */
export const STEPS = {
  '5m': '*/5 * * * *',
  '15m': '*/15 * * * *',
  '1h': '0 * * * *',
  '6h': '0 0,6,12,18 * * *',
  '1d': '0 0 * * *',
} as const;

export type Step = keyof typeof STEPS;

const MOST = 3000;

/** So that some thirty of them make the time. */
export function stepFor(ms: number): Step {
  if (ms <= 8 * HOUR) return '15m';
  if (ms <= 36 * HOUR) return '1h';
  return ms <= 8 * DAY ? '6h' : '1d';
}

/** Where pieces of (from, to) begin; the first one at `from`. Throws `too_many_pieces`. */
export function piecesOf(span: { from: Date; to: Date }, { step, timeZone }: { step: Step; timeZone: string }): Date[] {
  const schedule = parseSchedule({ kind: 'cron', expression: STEPS[step], timeZone, dst: { overlap: 'both' } });
  const pieces = [span.from, ...firesBetween(schedule, span.from, new Date(span.to.getTime() - 1), MOST)];
  if (pieces.length <= MOST) return pieces;
  throw new EscapementError('too_many_pieces', `steps of ${step} make more than ${MOST} pieces of that time`, {
    fix: 'give a longer step, or fewer days',
  });
}
