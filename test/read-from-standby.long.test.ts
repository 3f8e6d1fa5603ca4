import { fileURLToPath } from 'node:url';
import { asUser, eventually, primaryWithStandby, spawnNode, systemPostgres, testRedis } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import type { Ran } from '../apps/cli/test/cli.ts';
import { argumentsOf, readers } from './canary/commands.ts';
import { site, witness } from './restored/site.ts';

const postgres = systemPostgres();
const { starts, command } = witness();
const EACH_SECOND = { kind: 'cron', expression: '* * * * * *', timeZone: 'UTC' } as const;
const TASKS = [
  { name: 'leak', key: 'leak-state', schedule: EACH_SECOND, handler: { type: 'shell', command: command('leak') } },
  { name: 'bad', schedule: EACH_SECOND, handler: { type: 'shell', command: command('bad', 'exit 3') } },
] as const;
/** They change something, or wait for it, without being given anything; what a verification compares grows with the time. */
const APART = ['freeze', 'unfreeze', 'login', 'logout', 'top', 'verify-ledger'];

describe.skipIf(postgres === undefined)('a standby', () => {
  test('serves every command that only shows something, as its primary does, and refuses the others in a sentence', async () => {
    const { primaryUrl, standbyUrl, caughtUp } = await primaryWithStandby(required());
    const { url: redisUrl } = await testRedis();
    const [fleet, there] = [await site(primaryUrl, { redisUrl }), await site(standbyUrl, { redisUrl })];
    await fleet.save(TASKS);
    await fleet.start();
    await eventually(() => expect(starts().length).toBeGreaterThan(4), 20_000);
    await fleet.stop();
    await caughtUp();

    const ids = await fleet.sql<{ id: string }>(
      `SELECT id FROM run WHERE finished_at IS NOT NULL ORDER BY id DESC LIMIT 2`,
    );
    const given = argumentsOf(
      ids.map(({ id }) => ({ id, state: '', reason: null, open: '' })),
      TASKS.map(({ name }) => name),
    );
    let done = 0;
    for (const reader of await readers()) {
      if (APART.includes(reader)) continue;
      for (const args of given[reader] ?? [[]]) {
        const line = [...reader.split(' '), ...args];
        const [one, other] = [await fleet.cli(...line), await there.cli(...line)];
        expect([line, other.code, words(other)]).toEqual([line, one.code, words(one)]);
        if (one.code === 0) done++;
      }
    }
    expect(done).toBeGreaterThan(35);
    const [range] = await fleet.sql<{ from: Date; to: Date }>(
      'SELECT min(scheduled_for) AS from, max(scheduled_for) AS to FROM run WHERE finished_at IS NOT NULL',
    );
    const between = ['--from', range?.from.toISOString() ?? '', '--to', range?.to.toISOString() ?? ''];
    // It looks at nothing of the last ten seconds.
    await eventually(async () => {
      const verified = await there.cli('verify-ledger', ...between);
      expect(verified).toMatchObject({ code: 0, stderr: expect.stringMatching(/^no gap: 2 tasks, [1-9]/) });
    });
    const keys = await there.cli('keys', 'show', 'leak-state');
    expect(keys.stderr).toMatch(/^leases are unknown: no scheduler can be asked where Postgres can only be read/);
    expect(keys.stdout).toContain('leak-state');
    const { code, stderr } = await there.cli('tasks', 'pause', 'leak');
    expect(`${code} ${stderr}`).toMatch(/^3 error: Postgres at \S+ can be read, but not written to/);
  }, 240_000);

  test('is read by an API that is told of it, which goes on without it', async () => {
    const { primaryUrl, standbyUrl, standby } = await primaryWithStandby(required());
    const api = spawnNode(fileURLToPath(new URL('../apps/api/src/main.ts', import.meta.url)), {
      env: {
        DATABASE_URL: asUser(primaryUrl, 'api'),
        DATABASE_STANDBY_URL: asUser(standbyUrl, 'api'),
        ESCAPEMENT_API_PORT: '0',
        ESCAPEMENT_HEALTH_PORT: 'off',
      },
    });
    await api.waitForLine('what is only shown is read from the standby', 45_000);
    await standby.stop();
    await api.waitForLine('the standby cannot be read from for now', 45_000);
    expect(await api.terminate()).toMatchObject({ code: 0 });
  }, 120_000);
});

/** What is said beside the result, without its times; why leases are unknown differs. */
function words({ stderr }: Ran): string {
  return stderr.replaceAll(/\d{4}-[\d:.T-]+Z/g, 'TIME').replace(/^leases are unknown.*/, 'leases are unknown');
}

function required() {
  if (!postgres) throw new Error('no Postgres of the system');
  return postgres;
}
