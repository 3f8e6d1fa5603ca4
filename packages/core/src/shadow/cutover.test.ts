import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { nextFire, parseSchedule, zoneChanges } from '../schedule/index.ts';
import {
  answerProposal,
  cutoverInstant,
  type Handover,
  type HostAnswer,
  heldBecomes,
  restsOf,
  sideAt,
  sideOfStart,
} from './cutover.ts';

const at = (text: string) => new Date(`2026-03-02T${text}Z`);
const NOW = at('10:20:00');

describe('the instant', () => {
  const instant = (expression: string, { now = NOW, asked }: { now?: Date; asked?: Date } = {}) => {
    const timeZone = 'Europe/Berlin';
    const schedule = parseSchedule({ kind: 'cron', dialect: 'vixie', expression, timeZone });
    const found = cutoverInstant({
      ...{ next: (after) => nextFire(schedule, after), now, asked },
      changes: (span) => zoneChanges(timeZone, span).length > 0,
    });
    return 'refused' in found ? found.refused : found.at.toISOString();
  };

  it('lies in the middle of a gap, after two more fires', () => {
    expect(instant('0 * * * *')).toBe('2026-03-02T12:30:00.000Z');
    expect(instant('* * * * *')).toBe('2026-03-02T10:22:30.000Z');
    expect(instant('0 3 * * 1-5')).toBe('2026-03-04T14:00:00.000Z');
  });

  it('that is asked for is that of the gap around it, after one fire at least', () => {
    expect(instant('0 * * * *', { asked: at('11:05:00') })).toBe('2026-03-02T11:30:00.000Z');
    expect(instant('0 * * * *', { asked: at('15:00:00') })).toBe('2026-03-02T15:30:00.000Z');
    expect(instant('0 * * * *', { asked: at('10:59:00') })).toBe('soon');
  });

  it('is not near a change of the clock', () => {
    // From 02:00 to 03:00 at 01:00 UTC.
    expect(instant('0 * * * *', { now: new Date('2026-03-28T23:30:00Z') })).toBe('2026-03-29T07:30:00.000Z');
    expect(instant('30 2 1 1 *')).toBe('2028-07-02T01:30:00.000Z');
  });

  it('is none where the line does not fire twice more', () => {
    expect(cutoverInstant({ next: () => null, now: NOW, changes: () => false })).toEqual({ refused: 'over' });
    const once = (after: Date) => (after < at('11:00:00') ? at('11:00:00') : null);
    expect(cutoverInstant({ next: once, now: NOW, changes: () => false })).toEqual({ refused: 'over' });
  });
});

describe('who runs a line', () => {
  const handovers: Handover[] = [
    { to: 'fleet', at: at('11:00:00'), isTaken: true, host: 'web1' },
    { to: 'cron', at: at('12:00:00'), isTaken: true, host: 'web1' },
    { to: 'fleet', at: at('13:00:00'), isTaken: false, host: 'web1' },
  ];

  it('is cron before the first cut-over, and nobody knows from one on that its host has not answered', () => {
    const sides = ['10:59:59', '11:00:00', '12:00:00', '13:00:00'].map((text) => sideAt(handovers, at(text)));
    expect(sides).toEqual(['cron', 'fleet', 'cron', 'unknown']);
    expect(sideAt([], NOW)).toBe('cron');
  });

  it('is told to the planner as pauses: for what cron runs, and for what is not known', () => {
    expect(restsOf(handovers)).toMatchObject([
      { untilAt: at('11:00:00'), shadow: true },
      { fromAt: at('12:00:00'), untilAt: at('13:00:00'), shadow: true },
      {
        ...{ fromAt: at('13:00:00'), untilAt: null },
        held: 'not known whether cron runs it: web1 has not answered the cut-over to fleet',
      },
    ]);
    expect(restsOf([])).toMatchObject([{ untilAt: null, shadow: true }]);
  });

  it('has what was held, if it has the line', () => {
    expect([heldBecomes('fleet', 'taken'), heldBecomes('cron', 'refused')]).toEqual(['run', 'run']);
    expect([heldBecomes('fleet', 'refused'), heldBecomes('cron', 'taken')]).toEqual(['skipped', 'skipped']);
  });
});

describe('a host', () => {
  const proposal = { id: 'one', line: '0123456789ab', to: 'fleet', at: at('12:00:00'), settled: null } as const;
  const answer = (now: Date, more: object = {}, known: readonly HostAnswer[] = []) =>
    answerProposal(known, { ...proposal, now, ...more }, now);

  it('takes what is far enough ahead by its clock, unless a person has taken it back', () => {
    expect(answer(at('11:59:54'))).toMatchObject({ answer: 'taken', answeredAt: at('11:59:54') });
    expect(answer(at('11:59:55'))).toMatchObject({ answer: 'refused' });
    expect(answer(NOW, { settled: 'refused' })).toMatchObject({ answer: 'refused' });
    expect(answer(NOW, { settled: 'taken' })).toMatchObject({ answer: 'taken' });
  });

  it('refuses where its clock and that of the server differ', () => {
    const server = (ms: number) => answer(NOW, { now: new Date(NOW.getTime() + ms) }).answer;
    expect([-16, -15, 15, 16].map((seconds) => server(seconds * SECOND))).toEqual([
      'refused',
      'taken',
      'taken',
      'refused',
    ]);
  });

  it('says again what it has said', () => {
    for (const before of [answer(NOW), answer(at('12:00:00'))])
      expect(answer(new Date(NOW.getTime() + 9 * HOUR), {}, [before])).toBe(before);
  });

  it('leaves a start to the fleet from the instant on that it has taken, in whatever order they are kept', () => {
    const taken = answer(NOW);
    const back = answer(NOW, { id: 'two', to: 'cron', at: at('14:00:00') });
    const refused = answer(at('15:00:00'), { id: 'three', at: at('13:00:00'), to: 'cron' });
    const sides = [-SECOND, 0, HOUR + MINUTE, 2 * HOUR].map((ms) =>
      sideOfStart([back, refused, taken], new Date(proposal.at.getTime() + ms)),
    );
    expect(sides).toEqual(['cron', 'fleet', 'fleet', 'cron']);
    expect(sideOfStart([], NOW)).toBe('cron');
  });
});
