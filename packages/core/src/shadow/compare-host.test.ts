import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../clock.ts';
import { parseSchedule } from '../schedule/index.ts';
import { type CronStart, compareHost, type ShadowLine } from './compare-host.ts';

const at = (text: string) => new Date(`2026-03-02T${text}Z`);
const NOW = at('23:59:00');
const cron = (expression: string, timeZone = 'UTC') =>
  parseSchedule({ kind: 'cron', dialect: 'vixie', expression, timeZone });

function start(startedAt: Date, more: Partial<CronStart> = {}): CronStart {
  return {
    startedAt,
    endedAt: new Date(startedAt.getTime() + SECOND),
    exitCode: 0,
    signal: null,
    bootedAt: null,
    ...more,
  };
}

function line(fires: readonly Date[], starts: readonly CronStart[], more: Partial<ShadowLine> = {}): ShadowLine {
  return { id: '0123456789ab', schedule: cron('0 * * * *'), fires, starts, ...more };
}

const compare = (...lines: ShadowLine[]) => compareHost(lines, { now: NOW });
const causes = (...lines: ShadowLine[]) =>
  compare(...lines).flatMap(({ differences }) => differences.map(({ kind, cause }) => `${kind}: ${cause}`));
const hours = (...each: string[]) => each.map((hour) => at(`${hour}:00:00`));
const startsAt = (...each: string[]) => hours(...each).map((hour) => start(new Date(hour.getTime() + 2 * SECOND)));

describe('a start by cron', () => {
  it('belongs to the fire of its minute, and tells how far they are apart, how long it took and how it ended', () => {
    const starts = [
      start(at('10:00:01')),
      start(at('11:00:05'), { exitCode: null, signal: 'SIGTERM' }),
      start(at('12:00:02'), { exitCode: 3, endedAt: at('12:01:02') }),
    ];
    expect(compare(line(hours('10', '11', '12'), starts))).toMatchObject([
      {
        ...{ agreed: 3, unexplained: 0, differences: [], pending: 0 },
        offByMs: { middle: 2 * SECOND, most: 5 * SECOND },
        tookMs: { middle: SECOND, most: MINUTE },
        exits: [
          { exit: '0', count: 1 },
          { exit: 'SIGTERM', count: 1 },
          { exit: '3', count: 1 },
        ],
      },
    ]);
  });

  it('that comes late belongs to the fire before it, if that has none', () => {
    const [compared] = compare(line(hours('10', '11'), [start(at('10:00:01')), start(at('11:04:30'))]));
    expect(compared).toMatchObject({ agreed: 2, differences: [], offByMs: { most: 4.5 * MINUTE } });
    expect(causes(line(hours('10', '11'), [start(at('10:00:01')), start(at('11:10:00'))]))).toEqual([
      'only-here: null',
      'only-cron: null',
    ]);
  });

  it('that is not in the plan is not explained', () => {
    expect(causes(line(hours('10'), startsAt('10', '11')))).toEqual(['only-cron: null']);
  });

  it('within three hours of a change of the clock may be by another rule', () => {
    const schedule = cron('0 * * * *', 'America/New_York');
    const spring = (text: string) => new Date(`2026-03-08T${text}Z`);
    const near = line([spring('05:00:00')], [start(spring('05:00:01')), start(spring('08:30:00'))], { schedule });
    const far = line([spring('05:00:00')], [start(spring('05:00:01')), start(spring('10:00:01'))], { schedule });
    expect(compareHost([near], { now: new Date('2026-03-09') })[0]?.differences).toMatchObject([
      { cause: 'clock-change', words: '2026-03-08: the clock of America/New_York goes from 02:00 to 03:00' },
    ]);
    expect(compareHost([far], { now: new Date('2026-03-09') })[0]?.unexplained).toBe(1);
  });

  it('before its line was planned is left out', () => {
    const late = line(hours('11'), startsAt('09', '10', '11'), { plannedSince: at('10:30:00') });
    expect(compare(late)).toMatchObject([{ agreed: 1, differences: [], exits: [{ exit: '0', count: 1 }] }]);
  });

  it('of a line that is started with the host is explained', () => {
    const schedule = parseSchedule({ kind: 'manual' });
    expect(causes(line([], startsAt('10'), { schedule }))).toEqual(['only-cron: host-start']);
  });

  it('on a day that only the other rule for the day fields has is explained by it', () => {
    // The second of March is a Monday.
    const stepped = line(hours('00'), startsAt('00', '10'), { schedule: cron('0 10 */3 * 1') });
    expect(causes(stepped)).toEqual(['only-cron: day-fields']);
    const both = line(hours('08', '10'), startsAt('08', '12'), { schedule: cron('0 10 3 * 1') });
    expect(causes(both)).toEqual(['only-here: day-fields', 'only-cron: null']);
  });
});

describe('a fire without a start', () => {
  it('is not explained where another line was started in its minute, or nothing else was missing', () => {
    const other = line(hours('10', '11', '12'), startsAt('10', '11', '12'), { id: 'ba9876543210' });
    expect(causes(line(hours('10', '11', '12'), startsAt('10', '12')), other)).toEqual(['only-here: null']);
    expect(causes(line(hours('10', '11', '12'), startsAt('10', '12')))).toEqual(['only-here: null']);
  });

  it('is explained by a host that came up later', () => {
    const late = [...startsAt('10'), start(at('12:00:02'), { bootedAt: at('11:40:00') })];
    expect(compare(line(hours('10', '11', '12'), late))[0]?.differences).toMatchObject([
      { cause: 'host-down', words: 'the host was down: it came up at 2026-03-02T11:40:00Z' },
    ]);
  });

  it('is explained where several are missing between two starts of the host', () => {
    expect(causes(line(hours('10', '11', '12', '13'), startsAt('10', '13')))).toEqual([
      'only-here: host-down',
      'only-here: host-down',
    ]);
  });

  it('of many is counted, and the last ones are told', () => {
    const days = Array.from({ length: 1000 }, (_, index) => new Date(at('00:00:00').getTime() + index * MINUTE));
    const [first, last] = [days[0] ?? NOW, days[999] ?? NOW];
    const [compared] = compare(line(days, [start(first), start(last)], { schedule: cron('* * * * *') }));
    expect(compared).toMatchObject({ agreed: 2, onlyHere: 998, onlyCron: 0, unexplained: 0 });
    expect(compared?.differences.map((each) => each.at)).toEqual(days.slice(799, 999));
  });

  it('that lies before the first report of the host does not count, nor one that may still be reported', () => {
    const pending = line([...hours('09', '10'), at('23:58:00')], startsAt('10'));
    expect(compare(pending)).toMatchObject([{ agreed: 1, differences: [], pending: 1 }]);
    expect(compare(line(hours('10', '11'), []))).toMatchObject([
      { agreed: 0, differences: [], offByMs: null, tookMs: null },
    ]);
  });
});
