import { HOUR } from '@escapement/core';
import { firesBetween } from '@escapement/core/schedule';
import { compareHost, type Difference, type ShadowLine } from '@escapement/core/shadow';
import { expect, test } from 'vitest';
import files from '../../test/corpora/crontabs.json' with { type: 'json' };
import { debianCronStarts } from '../../test/debian-cron.ts';
import { readCrontab } from './read-crontab.ts';

const ZONE = 'Europe/Berlin';

const offsets = new Map<string, (at: Date) => number>();

/** What the clock of a zone is ahead of UTC, as Node knows it. */
function offsetOf(timeZone: string): (at: Date) => number {
  const known = offsets.get(timeZone) ?? readOffsets(timeZone);
  offsets.set(timeZone, known);
  return known;
}

function readOffsets(timeZone: string): (at: Date) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const known = new Map<number, number>();
  return (at) => {
    const hour = Math.floor(at.getTime() / (HOUR / 4));
    const offset = known.get(hour) ?? read(format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value);
    known.set(hour, offset);
    return offset;
  };
}

function read(text = ''): number {
  const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d+):(\d+))?/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** What cron and the shadow make of all lines of a crontab. */
function linesOf(file: (typeof files)[number], from: Date, to: Date): ShadowLine[] {
  const text = file.lines.map((line) => line.text).join('\n');
  const { tasks } = readCrontab(text, { name: file.id, system: file.system, timeZone: ZONE, timeZoneFrom: '--tz' });
  return tasks.flatMap(({ line, schedule, timeZone, task: { schedule: spec } }) => {
    if (spec?.kind !== 'cron') return [];
    const starts = debianCronStarts(spec.expression, { from, to, offsetMs: offsetOf(timeZone) }).map((startedAt) => ({
      ...{ startedAt, endedAt: startedAt, exitCode: 0, signal: null, bootedAt: null },
    }));
    return {
      id: String(line),
      schedule,
      starts,
      fires: firesBetween(schedule, new Date(from.getTime() - 1), to, 100_000),
    };
  });
}

function compareAll(from: Date, to: Date): { agreed: number; differences: Difference[] } {
  const now = new Date(to.getTime() + 24 * HOUR);
  const compared = files.flatMap((file) => compareHost(linesOf(file, from, to), { now }));
  return {
    agreed: compared.reduce((sum, { agreed }) => sum + agreed, 0),
    differences: compared.flatMap(({ differences }) => differences),
  };
}

test('of a week of all 154 crontabs cron and the shadow start the same', () => {
  const { agreed, differences } = compareAll(new Date('2026-06-01T00:00Z'), new Date('2026-06-08T00:00Z'));
  expect(differences).toEqual([]);
  expect(agreed).toBeGreaterThan(50_000);
});

test.each(['2026-03-29', '2026-10-25'])('in the night of %s, when the clock changes, nothing is unexplained', (day) => {
  const from = new Date(`${day}T00:00Z`);
  const { agreed, differences } = compareAll(new Date(from.getTime() - 6 * HOUR), new Date(from.getTime() + 24 * HOUR));
  expect(differences.filter(({ cause }) => cause !== 'clock-change')).toEqual([]);
  expect(agreed).toBeGreaterThan(5000);
});
