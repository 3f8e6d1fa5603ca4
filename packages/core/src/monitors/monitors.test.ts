import { describe, expect, test } from 'vitest';
import {
  afterPing,
  countPing,
  isPingRunId,
  keptPingBody,
  MAX_OPEN_PING_RUNS,
  MAX_PING_BODY,
  MOST_PINGS,
  type MonitorInput,
  type MonitorPause,
  type MonitorStatus,
  monitorSpec,
  monitorState,
  monitorTroubles,
  newMonitorStatus,
  type PingIntake,
  readSignal,
  troubleAt,
} from './index.ts';

const MINUTE = 60_000;
const NIGHTLY = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Vienna' } as const;
const at = (text: string) => new Date(`2027-01-${text}Z`);

interface Told {
  since: string;
  pause: MonitorPause | null;
  intake: PingIntake;
}
const OPEN: PingIntake = { lastOpenAt: null, gap: null };

/** A monitor, told by pings. Times are those of January 2027, in UTC. */
function told(
  input: MonitorInput,
  pings: readonly (readonly [string, string?, string?])[],
  { since = '01T00:00:00', pause = null, intake = OPEN }: Partial<Told> = {},
) {
  const spec = monitorSpec.parse(input);
  let status: MonitorStatus = newMonitorStatus(spec, at(since));
  const durations: (number | null)[] = [];
  for (const [time, word, rid = null] of pings) {
    const signal = readSignal(word);
    if (!signal) throw new Error(`${word} is no signal`);
    const after = afterPing(status, { ...signal, rid, at: at(time) }, { spec, pause });
    status = after.status;
    durations.push(after.durationMs);
  }
  const monitor = { spec, status, pause, intake };
  return {
    durations,
    status,
    state: (time: string) => monitorState(monitor, at(time)),
    wrong: (time: string) => monitorTroubles(monitor, at(time)).map(({ kind }) => kind),
    since: (time: string) => monitorTroubles(monitor, at(time)).map(({ since }) => since.toISOString()),
    troubleAt: troubleAt(monitor)?.toISOString() ?? null,
  };
}

const nightly = { schedule: NIGHTLY, graceMs: 20 * MINUTE };
const hourly = { schedule: { kind: 'fixed-delay', delayMs: 60 * MINUTE }, graceMs: 5 * MINUTE } as const;

describe('missed', () => {
  test('is told after the grace, by the clock of the job, and not before', () => {
    const job = told(nightly, [['04T01:40:00']]);
    expect(job.state('05T01:29:59')).toBe('up');
    expect(job.state('05T01:30:00')).toBe('late');
    expect(job.state('05T01:49:59.999')).toBe('late');
    expect([job.state('05T01:50:00'), job.wrong('05T01:50:00')]).toEqual(['down', ['missed']]);
    expect(job.since('05T01:50:00')).toEqual(['2027-01-05T01:30:00.000Z']);
    expect(job.troubleAt).toBe('2027-01-05T01:50:00.000Z');
  });

  test('a URL that nobody has ever called is found as well', () => {
    const job = told(nightly, []);
    expect(job.state('01T01:00:00')).toBe('new');
    expect(job.wrong('01T01:50:00')).toEqual(['missed']);
  });

  test('counts from the last ping where there is a period', () => {
    const job = told(hourly, [['04T01:40:00'], ['04T02:10:00']]);
    expect(job.wrong('04T03:14:59')).toEqual([]);
    expect(job.wrong('04T03:15:00')).toEqual(['missed']);
  });

  test('a start counts as a sign, a log does not', () => {
    expect(told(hourly, [['04T01:00:00'], ['04T01:50:00', 'log']]).troubleAt).toBe('2027-01-04T02:05:00.000Z');
    expect(
      told({ ...hourly, maxRunMs: 600 * MINUTE }, [['04T01:00:00'], ['04T02:00:00', 'start']]).wrong('04T04:00:00'),
    ).toEqual([]);
  });

  test('a machine whose clock is ahead pings for the time that is to come', () => {
    expect(told(nightly, [['04T01:29:40']]).troubleAt).toBe('2027-01-05T01:50:00.000Z');
    expect(told(nightly, [['04T01:29:20']]).troubleAt).toBe('2027-01-04T01:50:00.000Z');
    // A job of each minute has no time before it is due.
    const each = { schedule: { ...NIGHTLY, expression: '* * * * *' }, graceMs: MINUTE };
    expect(told(each, [['04T01:29:40']]).troubleAt).toBe('2027-01-04T01:31:00.000Z');
  });

  test('a change of the clock moves it with the job', () => {
    const spec = monitorSpec.parse(nightly);
    // 28 March 2027: no half past two in Vienna, the next valid time is three (01:00 UTC).
    expect(newMonitorStatus(spec, new Date('2027-03-27T12:00:00Z')).dueAt).toEqual(new Date('2027-03-28T01:00:00Z'));
    expect(newMonitorStatus(spec, new Date('2027-03-28T12:00:00Z')).dueAt).toEqual(new Date('2027-03-29T00:30:00Z'));
  });

  test('a schedule that has ended expects nothing', () => {
    const ended = { ...nightly, schedule: { ...NIGHTLY, endAt: '2027-01-04T12:00:00Z' } };
    expect(told(ended, [['04T01:40:00']])).toMatchObject({ troubleAt: null, status: { dueAt: null } });
  });
});

describe('failed', () => {
  test('until the next success, since the first in a row', () => {
    const pings = [
      ['04T01:40:00', 'fail'],
      ['04T01:50:00', '3'],
    ] as const;
    const job = told(hourly, pings);
    expect([job.wrong('04T01:50:00'), job.since('04T01:50:00')]).toEqual([['failed'], ['2027-01-04T01:40:00.000Z']]);
    expect(job.status.exitStatus).toBe(3);
    expect(told(hourly, [...pings, ['04T02:00:00', 'start']]).wrong('04T02:00:00')).toEqual(['failed']);
    expect(told(hourly, [...pings, ['04T02:00:00', '0']]).wrong('04T02:00:00')).toEqual([]);
  });

  test('one that fails and then is silent is told of both', () => {
    expect(told(hourly, [['04T01:40:00', 'fail']]).wrong('04T02:45:00')).toEqual(['failed', 'missed']);
  });
});

describe('slow', () => {
  const slow = { ...nightly, maxRunMs: 60 * MINUTE };

  test('from its start on, until its end', () => {
    const job = told(slow, [['04T01:30:00', 'start']]);
    expect(job.state('04T02:29:59')).toBe('running');
    expect([job.wrong('04T02:30:00'), job.since('04T02:30:00')]).toEqual([['slow'], ['2027-01-04T01:30:00.000Z']]);
    const over = told(slow, [['04T01:30:00', 'start'], ['04T02:40:00']]);
    expect([over.wrong('04T02:40:00'), over.durations]).toEqual([[], [null, 70 * MINUTE]]);
  });

  test('is the grace where nothing else is said', () => {
    expect(told(nightly, [['04T01:30:00', 'start']]).troubleAt).toBe('2027-01-04T01:50:00.000Z');
  });

  test('one that begins each night and never ends is found: another start does not end the one before', () => {
    const long = { ...nightly, maxRunMs: 30 * 60 * MINUTE };
    const job = told(long, [
      ['04T01:30:00', 'start'],
      ['05T01:30:00', 'start'],
    ]);
    expect(job.wrong('05T07:30:00')).toEqual(['slow']);
    // Its duration counts from the last one.
    expect(told(long, [['04T01:30:00', 'start'], ['05T01:30:00', 'start'], ['05T01:31:00']]).durations[2]).toBe(MINUTE);
  });

  test('runs at once are told apart by their ids', () => {
    const two = [
      ['04T01:30:00', 'start', 'a'],
      ['04T01:40:00', 'start', 'b'],
      ['04T01:45:00', '0', 'a'],
    ] as const;
    const job = told(slow, two);
    expect([job.durations[2], job.status.running.map(({ rid }) => rid)]).toEqual([15 * MINUTE, ['b']]);
    expect(job.wrong('04T02:40:00')).toEqual(['slow']);
    // The later one ended well: nobody waits for the other any more.
    const later = [
      ['04T01:30:00', 'start', 'a'],
      ['04T01:40:00', 'start', 'b'],
      ['04T01:45:00', '0', 'b'],
    ] as const;
    expect(told(slow, later).status.running).toEqual([]);
    const failed = [
      ['04T01:30:00', 'start', 'a'],
      ['04T01:40:00', 'start', 'b'],
      ['04T01:45:00', 'fail', 'b'],
    ] as const;
    expect(told(slow, failed).status.running.map(({ rid }) => rid)).toEqual(['a']);
    // An end that names no run ends all.
    expect(told(slow, [...two, ['04T01:50:00']]).status.running).toEqual([]);
  });

  test('of made-up ids only so many are kept', () => {
    const many = Array.from({ length: 50 }, (_, index) => ['04T01:30:00', 'start', `r${index}`] as const);
    const { running } = told(slow, many).status;
    expect([running.length, running[0]?.rid]).toEqual([MAX_OPEN_PING_RUNS, 'r0']);
  });
});

describe('paused', () => {
  test('nothing is wrong, and nothing will be', () => {
    const job = told(hourly, [['04T01:00:00', 'fail']], { pause: { untilAt: null } });
    expect([job.state('09T00:00:00'), job.wrong('09T00:00:00'), job.troubleAt]).toEqual(['paused', [], null]);
  });

  test('until an instant: what was missed in it is not told, and it is counted from its end', () => {
    const job = told(hourly, [['04T01:00:00']], { pause: { untilAt: at('04T12:00:00') } });
    expect(job.state('04T11:59:59')).toBe('paused');
    expect(job.troubleAt).toBe('2027-01-04T13:05:00.000Z');
    expect(told(hourly, [['04T01:00:00', 'fail']], { pause: { untilAt: at('04T12:00:00') } }).troubleAt).toBe(
      '2027-01-04T12:00:00.000Z',
    );
  });
});

describe('where nobody could take pings', () => {
  const gap = { from: at('02T01:20:00'), until: at('02T04:00:00') };
  const back: PingIntake = { lastOpenAt: at('03T00:00:00'), gap };

  test('nothing is missed while no API is there, and a failure is', () => {
    const away: PingIntake = { lastOpenAt: at('02T01:40:00'), gap: null };
    const { wrong, state } = told(nightly, [['01T01:30:10']], { intake: away });
    expect([wrong('02T03:00:00'), state('02T03:00:00')]).toEqual([[], 'late']);
    expect(told(nightly, [['01T01:30:10', 'fail']], { intake: away }).wrong('02T03:00:00')).toEqual(['failed']);
  });

  test('what was due then has its grace from when one is back, and what comes after it has no more', () => {
    const { wrong, troubleAt } = told(nightly, [['01T01:30:10']], { intake: back });
    expect([wrong('02T04:19:59'), wrong('02T04:20:00')]).toEqual([[], ['missed']]);
    expect(troubleAt).toBe('2027-01-02T04:20:00.000Z');
    expect(told(nightly, [['02T04:05:00']], { intake: back }).troubleAt).toBe('2027-01-03T01:50:00.000Z');
  });

  test('a run that was under way has it, too', () => {
    const { wrong } = told({ ...nightly, maxRunMs: 60 * MINUTE }, [['02T01:10:00', 'start']], { intake: back });
    expect([wrong('02T04:19:59'), wrong('02T04:20:00')]).toEqual([[], ['slow']]);
  });

  test('what was wrong before stays so', () => {
    const { wrong } = told(hourly, [['02T00:00:00']], { intake: back });
    expect(wrong('02T04:00:00')).toEqual(['missed']);
  });
});

test.each([
  [undefined, 'success', null],
  ['start', 'start', null],
  ['fail', 'fail', null],
  ['log', 'log', null],
  ['0', 'success', 0],
  ['255', 'fail', 255],
])('signal %s is %s', (word, kind, exitStatus) => {
  expect(readSignal(word)).toEqual({ kind, exitStatus });
});

test.each(['256', '-1', '1.5', '', 'START', 'constructor', '0x1', '9999999999', '١'])('%j is no signal', (word) => {
  expect(readSignal(word)).toBeUndefined();
});

test('ids of runs', () => {
  expect(['728b3763-ea80-4113-9fc0-f48b6c9a5b1a', 'a.b:c_d-1'].map(isPingRunId)).toEqual([true, true]);
  expect(['', 'a b', 'ä', 'a'.repeat(101), "'; DROP"].map(isPingRunId)).toEqual(Array(5).fill(false));
});

test('so many pings count in a minute', () => {
  let window = null;
  for (let count = 0; count < MOST_PINGS; count++) {
    const counted = countPing(window, at('04T01:00:10'));
    if (!('window' in counted)) throw new Error(`the ping ${count} does not count`);
    ({ window } = counted);
  }
  expect(countPing(window, at('04T01:00:40'))).toEqual({ waitMs: 30_000 });
  expect(countPing(window, at('04T01:01:10'))).toEqual({ window: { since: at('04T01:01:10'), pings: 1 } });
  // A clock that was set back.
  expect(countPing(window, at('04T00:00:00'))).toEqual({ window: { since: at('04T00:00:00'), pings: 1 } });
});

describe('the body', () => {
  const kept = (text: string) => keptPingBody(new TextEncoder().encode(text));

  test('its first bytes, no half of a character', () => {
    expect(kept('x'.repeat(MAX_PING_BODY + 5))).toHaveLength(MAX_PING_BODY);
    expect(kept(`${'x'.repeat(MAX_PING_BODY - 1)}€`)).toBe('x'.repeat(MAX_PING_BODY - 1));
    expect([kept(''), kept(' \n')]).toEqual([null, null]);
  });

  test('what Postgres cannot hold, and what lets somebody in, is not in it', () => {
    expect(kept('a\0b')).toBe('a\uFFFDb');
    expect(keptPingBody(Uint8Array.of(0xff, 0x41, 0xed, 0xa0, 0x80))).not.toMatch(/[\uD800-\uDFFF]/);
    expect(kept('dump postgres://shop:hunter2@db/shop\nAuthorization: Bearer abc123def456')).toBe(
      'dump postgres://shop:***@db/shop\nAuthorization: Bearer ***',
    );
  });
});

test.each([
  [{ kind: 'manual' }, 'cron, every, fixed-delay or rrule'],
  [{ kind: 'once', at: '2027-01-01T00:00:00Z' }, 'cron, every, fixed-delay or rrule'],
  [{ ...NIGHTLY, jitterMs: 5 }, 'leave it out'],
])('a schedule that says nothing about a ping is refused: %j', (schedule, words) => {
  const read = monitorSpec.safeParse({ schedule });
  expect(read.error?.issues[0]?.message).toContain(words);
});
