import { SECOND, systemClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { afterFile, startProxy, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { examineDatabase, examineProduction, inTime } from '../src/index.ts';

const proxy = await startProxy((await testDatabase()).url);
const db = openDatabase({ url: proxy.url, applicationName: 'examine in time' });
afterFile(() => db.close());
const terms = {
  ...{ clock: systemClock, deadMs: 30 * SECOND, maxClockOffsetMs: SECOND },
  ...{ defaults: { email: [], webhook: [] }, self: 'this test' },
};

test('a Postgres that does not answer is a finding, not a wait; what answers is told as it is', async () => {
  await db.pool.query('SELECT 1');
  const usual = await inTime('Postgres', examineDatabase(db, terms));
  expect(usual.map(({ subject }) => subject)).toContain('Migrations');
  proxy.hole();
  const [fleet, production] = await Promise.all([
    inTime('Postgres', examineDatabase(db, terms), 50),
    inTime('Production', examineProduction(db, terms), 50),
  ]);
  expect([fleet, production]).toMatchObject([
    [{ subject: 'Postgres', level: 'problem', detail: expect.stringContaining('not looked at in') }],
    [{ subject: 'Production', level: 'problem', page: expect.stringContaining('run-a-fleet.md') }],
  ]);
  proxy.reset();
});

test('what an examination throws is thrown', async () => {
  await expect(inTime('Postgres', Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});
