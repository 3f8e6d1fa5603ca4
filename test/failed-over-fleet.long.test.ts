import { SECOND } from '@escapement/core';
import { eventually, primaryWithStandby, startProxy, systemPostgres } from '@escapement/testkit';
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
    const { primary, standby, primaryUrl, dir, link, caughtUp } = await primaryWithStandby(required());
    const toFleet = await startProxy(primaryUrl);
    const fleet = await site(toFleet.url);
    await fleet.save([TASK]);
    await fleet.start();
    await startsAre(2);
    await caughtUp();

    link.hole();
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
    await eventually(async () => {
      const { stdout, stderr } = await fleet.cli('doctor');
      const [watch] = await fleet.sql('SELECT place, moved_at, moved_how, marker FROM queue_watch');
      const story = [stdout, stderr, JSON.stringify(watch), ...fleet.lines().slice(-30)].join('\n');
      expect(stdout, story).toContain('on another timeline');
    });
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

function required() {
  if (!postgres) throw new Error('no Postgres of the system');
  return postgres;
}
