import { type CronSpec, firesBetween, oracleFires, parseSchedule } from '@escapement/core/schedule';
import { describe, expect, it } from 'vitest';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PROBE = 6 * DAY;

/** The seconds at which the zone's clock changes. Since 1970 no two changes are closer than 6.9 days (Gaza, Recife). */
function changesOf(timeZone: string): { changes: readonly number[]; offsets: readonly number[] } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (at: number): number => Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at;
  const changes: number[] = [];
  const offsets: number[] = [];
  let after = offsetAt(Date.UTC(1970, 0, 1));
  for (let from = Date.UTC(1970, 0, 1); from < Date.UTC(2061, 0, 1); from += PROBE) {
    const before = after;
    after = offsetAt(from + PROBE);
    if (after === before) continue;
    let [low, high] = [from, from + PROBE];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push(high);
    offsets.push(after);
  }
  return { changes, offsets };
}

/** One zone for each way of setting clocks since 1970, so that no history is swept twice. */
function histories(): { timeZone: string; changes: readonly number[] }[] {
  const seen = new Map<string, { timeZone: string; changes: readonly number[] }>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const { changes, offsets } = changesOf(timeZone);
    const history = `${changes} ${offsets}`;
    if (!seen.has(history)) seen.set(history, { timeZone, changes });
  }
  return [...seen.values()];
}

const EXPRESSIONS = [
  '30 2 * * *',
  '17 * * * *',
  '0 0 * * *',
  '0,30 1,2,3 * * *',
  '45 */3 * * *',
  '59 23 * * 0-3',
  '0 1 L * *',
  '30 0,1 1-7 * 6',
];
const CHOICES: readonly CronSpec['dst'][] = [
  undefined,
  { gap: 'shift', overlap: 'second' },
  undefined,
  { gap: 'skip', overlap: 'both' },
  { gap: 'next-valid', overlap: 'second' },
];

function specFor(timeZone: string, turn: number): CronSpec {
  const dst = CHOICES[turn % CHOICES.length];
  const expression = EXPRESSIONS[turn % EXPRESSIONS.length] ?? '0 0 * * *';
  return { kind: 'cron', expression, timeZone, ...(dst ? { dst } : {}) };
}

describe('nextFire around changes of the clock', () => {
  it('equals the oracle two days around every change of every zone from 1970 to 2060', { timeout: 180_000 }, () => {
    let turn = 0;
    for (const { timeZone, changes } of histories()) {
      for (const change of changes) {
        const spec = specFor(timeZone, turn++);
        const from = new Date(change - DAY);
        const to = new Date(change + DAY);
        const [ours, theirs] = [firesBetween(parseSchedule(spec), from, to), oracleFires(spec, from, to)];
        if (ours.join() !== theirs.join())
          expect(ours, `${JSON.stringify(spec)} from ${from.toISOString()}`).toEqual(theirs);
      }
    }
    expect(turn).toBeGreaterThan(10_000);
  });
});
