import { HOUR, MINUTE, SECOND, seededRandom, type TaskInput } from '@escapement/core';
import { pausePool, resumePool, saveTask } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { heldDatabase } from './histories/held-database.ts';
import { createHeldFleet } from './histories/held-fleet.ts';
import { findings, isAlarm } from './histories/history.ts';

const BY = by('ann');
/** The hour in which outages begin, each on a day of its own. */
const BEGINS = Date.UTC(2027, 5, 1, 8, 0, 1);
const EVERY_TWO_MINUTES = { kind: 'cron', expression: '*/2 * * * *', timeZone: 'UTC' } as const;
const every = (everyMs: number) => ({ kind: 'every', everyMs }) as const;

const held = await heldDatabase();
afterAll(() => held.close());
let days = 0;

interface Outage {
  /** No worker begins anything for this time; the scheduler passes in these steps. Milliseconds. */
  lastsMs: number;
  passMs: number;
  /** Default: no worker is there. */
  away?: 'workers' | 'pool';
  task: Omit<TaskInput, 'name' | 'handler'>;
}

interface Outcome {
  /** Instants of what began once workers were back, as seconds from the begin of the outage, in the order of their starts. */
  began: number[];
  held: number[];
  alarms: string[];
}

/** One task in a fleet of its own; what was due in the outage, some time after it. */
async function liveThrough({ lastsMs, passMs, away = 'workers', task }: Outage): Promise<Outcome> {
  const from = new Date(BEGINS + days++ * 24 * HOUR);
  const db = held.open(`outage-${days}`);
  await held.moveTo(new Date(from.getTime() - 20 * SECOND));
  const fleet = createHeldFleet(db, held, seededRandom(1));
  await saveTask(db, { ...task, name: 'task', handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: BY });
  for (let second = 0; second < 20; second++) await fleet.pass(1 * SECOND);
  if (away === 'pool') await pausePool(db, 'default', null, BY);
  const who = { schedulers: true, workers: away === 'pool' };
  while (held.now().getTime() < from.getTime() + lastsMs) await fleet.pass(passMs, who);
  const until = held.now();
  if (away === 'pool') await resumePool(db, 'default', BY);
  await fleet.pass(500, { schedulers: false, workers: true });
  for (let second = 0; second < 20; second++) await fleet.pass(1 * SECOND);
  const outcome = await outcomeOf(db, { from, until });
  await db.close();
  return outcome;
}

async function outcomeOf(db: Database, { from, until }: { from: Date; until: Date }): Promise<Outcome> {
  const { rows } = await db.pool.query<{ at: Date; state: string; started_at: Date | null }>(
    `SELECT scheduled_for AS at, state, started_at FROM run WHERE namespace = $1 AND scheduled_for > $2 AND scheduled_for <= $3
     ORDER BY started_at, scheduled_for`,
    [db.namespace, from, until],
  );
  const second = ({ at }: { at: Date }) => Math.round((at.getTime() - from.getTime()) / SECOND);
  const found = await findings(db, { from: new Date(from.getTime() - 15 * SECOND), to: until });
  return {
    began: rows.filter(({ started_at }) => started_at !== null).map(second),
    held: rows
      .filter(({ state }) => state === 'held')
      .map(second)
      .sort((a, b) => a - b),
    alarms: found.filter(isAlarm).map(({ kind, detail }) => `${kind}: ${detail}`),
  };
}

const fourAndAHalf = { lastsMs: 4.5 * MINUTE, passMs: 3 * SECOND };
const oneMinute = { lastsMs: 61 * SECOND, passMs: 1 * SECOND };
const tenSeconds = every(10 * SECOND);

it.each<[string, Outage, Partial<Outcome>]>([
  ['the newest of a cron', { ...fourAndAHalf, task: { schedule: EVERY_TWO_MINUTES } }, { began: [239] }],
  ['the newest of a dense interval', { ...oneMinute, task: { schedule: tenSeconds } }, { began: [59] }],
  ['the newest of each second', { ...oneMinute, task: { schedule: every(SECOND) } }, { began: [61] }],
  [
    'the two newest',
    { ...oneMinute, task: { schedule: tenSeconds, catchUp: { policy: 'all', max: 2 } } },
    { began: [39, 49, 59] },
  ],
  [
    'all, in their order',
    { ...oneMinute, task: { schedule: tenSeconds, catchUp: 'all' } },
    { began: [9, 19, 29, 39, 49, 59] },
  ],
  [
    'what is not too late',
    { ...oneMinute, task: { schedule: tenSeconds, catchUp: { policy: 'all', withinMs: 15 * SECOND } } },
    { began: [49, 59] },
  ],
  ['the oldest', { ...oneMinute, task: { schedule: tenSeconds, catchUp: 'earliest' } }, { began: [9, 59] }],
  [
    'the oldest that is not too late',
    { ...oneMinute, task: { schedule: tenSeconds, catchUp: { policy: 'earliest', withinMs: 30 * SECOND } } },
    { began: [39, 59] },
  ],
  ['none that is late', { ...oneMinute, task: { schedule: tenSeconds, catchUp: 'none' } }, { began: [59] }],
  [
    'the two newest for a person',
    { lastsMs: 69 * SECOND, passMs: SECOND, task: { schedule: tenSeconds, catchUp: { policy: 'ask', max: 2 } } },
    { began: [69], held: [49, 59] },
  ],
  [
    'the newest of a day',
    {
      lastsMs: 70 * HOUR,
      passMs: 30 * MINUTE,
      task: { schedule: { kind: 'cron', expression: '30 8 * * *', timeZone: 'UTC' } },
    },
    { began: [48 * 3600 + 1799] },
  ],
])('after an outage of workers alone begins %s', async (_, outage, expected) => {
  expect(await liveThrough(outage)).toMatchObject({ alarms: [], ...expected });
});

it.each<[string, Outage, Partial<Outcome>]>([
  [
    'by default',
    { lastsMs: 5.5 * MINUTE, passMs: 5 * SECOND, away: 'pool', task: { schedule: EVERY_TWO_MINUTES } },
    { began: [239] },
  ],
  [
    'side by side',
    {
      lastsMs: 5.5 * MINUTE,
      passMs: 5 * SECOND,
      away: 'pool',
      task: { schedule: EVERY_TWO_MINUTES, overlap: 'allow' },
    },
    { began: [239] },
  ],
])('after a pause of the pool begins the newest: %s', async (_, outage, expected) => {
  expect(await liveThrough(outage)).toMatchObject({ alarms: [], ...expected });
});
