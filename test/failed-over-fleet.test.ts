import { SECOND } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import {
  administer,
  afterFile,
  type Cluster,
  eventually,
  migrateWithRoles,
  startProxy,
  systemPostgres,
} from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import { type Start, site, witness } from './restored/site.ts';

const postgres = systemPostgres();
const { starts, command } = witness();
const TASK = {
  name: 'each',
  schedule: { kind: 'cron', expression: '* * * * * *', timeZone: 'UTC' },
  catchUp: 'all',
  misfireThresholdMs: 500,
  handler: { type: 'shell', command: command('each') },
} as const;
/** So many starts are lost with the primary. */
const LOST = 3;

describe.skipIf(postgres === undefined)('a fleet whose Postgres fails over to a standby that lags', () => {
  test('runs again what the standby does not know, under larger fences, and no verification finds that', async () => {
    const primary = await required().create();
    await administer(primary.url, 'CREATE DATABASE ledger');
    await migrateWithRoles(inLedger(primary.url));
    const [toFleet, toStandby] = [await startProxy(primary.url), await startProxy(primary.url)];
    const dir = required().folder();
    await required().run('pg_basebackup', '-D', dir, '-d', toStandby.url, '-X', 'stream', '-c', 'fast', '-R');
    const standby = await required().start(dir);
    const fleet = await site(inLedger(toFleet.url));
    await fleet.save([TASK]);
    await fleet.start();
    await startsAre(2);
    await caughtUp(primary, standby);

    toStandby.hole();
    const known = starts().length;
    await startsAre(known + LOST);
    await required().run('pg_ctl', 'stop', '-D', primary.dir, '-m', 'immediate');
    await required().run('pg_ctl', 'promote', '-D', dir, '-w');
    const count = starts().length;
    toFleet.switchTo(standby.url);
    await startsAre(count + LOST + 2);

    const again = repeated(starts());
    expect(again.length).toBeGreaterThanOrEqual(LOST - 1);
    for (const [first, second] of again) expect(second.fence).toBeGreaterThan(first.fence);
    await eventually(async () => expect((await fleet.cli('doctor')).stdout).toContain('on another timeline'));
    await fleet.stop();
    await eventually(async () => {
      const { stderr } = await fleet.cli('verify-ledger', '--from', '10m');
      expect(stderr).toMatch(/no gap|^0 gaps/m);
      expect(stderr).toContain('what ran twice because of that no comparison finds');
    });
  });
});

/** Two starts of one occurrence. */
function repeated(all: readonly Start[]): [Start, Start][] {
  return all.flatMap((second, index) => {
    const first = all
      .slice(0, index)
      .find(({ scheduledFor }) => scheduledFor.getTime() === second.scheduledFor.getTime());
    return first ? [[first, second] as [Start, Start]] : [];
  });
}

async function startsAre(count: number): Promise<void> {
  await eventually(() => expect(starts().length).toBeGreaterThanOrEqual(count), 20 * SECOND);
}

/** The standby has what the primary had. */
async function caughtUp(primary: Cluster, standby: Cluster): Promise<void> {
  const [one, other] = [primary, standby].map(({ url }) => openDatabase({ url, applicationName: 'test' }));
  for (const db of [one, other]) afterFile(() => db?.close());
  const { rows } = (await one?.pool.query('SELECT pg_current_wal_lsn()::text AS lsn')) ?? { rows: [] };
  await eventually(async () => {
    const there = await other?.pool.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes', [rows[0]?.lsn]);
    expect(there?.rows).toEqual([{ yes: true }]);
  });
}

function required() {
  if (!postgres) throw new Error('no Postgres of the system');
  return postgres;
}

function inLedger(url: string): string {
  return Object.assign(new URL(url), { pathname: '/ledger' }).href;
}
