import { systemClock } from '@escapement/core';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { examineDatabase, examineRedisOfFleet, type Finding } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const TERMS = { deadMs: 60_000, maxClockOffsetMs: 500, allowEviction: false };
const ANN = by('ann');
const of = (findings: readonly Finding[], subject: string) => findings.filter((each) => each.subject === subject);

test('a scheduler tells what each Redis is like', async () => {
  const found = examineRedisOfFleet(db, TERMS, ANN);
  fleet.requests.start();
  expect(await found).toEqual(
    expect.arrayContaining([
      { subject: 'Redis', level: 'ok', detail: expect.stringMatching(/^reachable, version \d/) },
      { subject: 'Redis', level: 'ok', detail: expect.stringMatching(/^clock .* a scheduler's$/) },
    ]),
  );
  await fleet.requests.stop();
});

test('that no scheduler is alive is a finding, and no wait', async () => {
  await db.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at - interval '1 hour'`);
  expect(await examineRedisOfFleet(db, TERMS, ANN)).toEqual([
    {
      ...{ subject: 'Redis', level: 'problem', detail: 'it could not be looked at: no scheduler is alive' },
      fix: 'start one',
    },
  ]);
  const terms = { ...TERMS, clock: systemClock, defaults: { email: [], webhook: [] }, self: 'this server' };
  const findings = await examineDatabase(db, terms);
  expect(of(findings, 'Schedulers')).toMatchObject([
    { level: 'problem', detail: expect.stringContaining('none is alive') },
  ]);
  expect(of(findings, 'Migrations')).toEqual([{ subject: 'Migrations', level: 'ok', detail: 'up to date' }]);
});
