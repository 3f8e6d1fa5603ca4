import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@escapement/core';
import { compareQueue, listFleetLeases } from '@escapement/operations';
import { createLeaseKeeper } from '@escapement/queue';
import { answerRequest, putRequest, readAnswer, takeRequests } from '@escapement/store';
import { afterFile, by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createRequests } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const requests = (processId: string) =>
  createRequests({
    db: fleet.as.scheduler,
    queue: fleet.queue,
    connection: fleet.connection,
    contents: fleet.contents,
    leases: fleet.connection,
    clock: systemClock,
    processId,
    onError: () => undefined,
  });
const asked = { by: by('ann'), patienceMs: 10_000 };
const take = (taker: string, goneMs = 60_000) => takeRequests(db, { taker, goneMs, chunkGoneMs: 0, limit: 10 });

/** Passes of a scheduler until something has come of a question; none goes on after that, and takes what the next test asks. */
async function answered<Answer>(question: Promise<Answer>): Promise<Answer> {
  let isOver = false;
  const answer = question.finally(() => {
    isOver = true;
  });
  const passes = async () => {
    while (!isOver) {
      await requests('one').runOnce();
      await delay(20);
    }
  };
  return (await Promise.all([answer, passes()]))[0];
}

it('what needs Redis is answered by a scheduler', async () => {
  const keeper = createLeaseKeeper({ redis: fleet.redis, onError: () => undefined });
  afterFile(() => keeper.close());
  const runId = '01890000-0000-7000-8000-000000000000';
  await keeper.acquire({ key: 'report', limit: 1, runId, worker: 'w', dispatch: 1 });
  expect(await answered(listFleetLeases(db, 'report', by('ann')))).toMatchObject([{ key: 'report', slot: 1, runId }]);
  expect(await answered(listFleetLeases(db, 'other', by('ann')))).toEqual([]);
  await fleet.queue.add([{ queue: 'default+shell', runId, dispatch: 1, delayMs: 600_000 }]);
  await db.pool.query(
    `INSERT INTO process (id, role, host, pid, app_version, pools, offers) VALUES ('w', 'worker', 'h', 1, '1', '{default}', '{shell}')`,
  );
  expect(await answered(compareQueue(db, by('ann')))).toContainEqual({ kind: 'extra_job', subject: runId });
});

it('of several schedulers one takes a request, and its answer alone counts', async () => {
  const id = await putRequest(db, { request: { kind: 'compare_queue' }, ...asked });
  const taken = await Promise.all([take('one'), take('two')]);
  expect(taken.flat()).toEqual([
    { id, request: { kind: 'compare_queue' }, by: { ...by('ann'), requestId: id }, progress: null, cancelled: false },
  ]);
  const [taker, other] = taken[0].length === 1 ? ['one', 'two'] : ['two', 'one'];
  await answerRequest(db, id, other, { answer: 'from nobody' });
  expect(await readAnswer(db, id)).toBeUndefined();
  await answerRequest(db, id, taker, { answer: [] });
  expect(await readAnswer(db, id)).toEqual({ answer: [] });
});

it('a request whose scheduler died is taken by another', async () => {
  const id = await putRequest(db, { request: { kind: 'compare_queue' }, ...asked });
  await take('one');
  expect(await take('two')).toEqual([]);
  expect(await take('two', -1)).toMatchObject([{ id }]);
  await answerRequest(db, id, 'one', { answer: 'too late' });
  expect(await readAnswer(db, id)).toBeUndefined();
  await answerRequest(db, id, 'two', { answer: [] });
});

it('what nobody waits for any more is not begun, and what is not known is refused', async () => {
  await putRequest(db, { request: { kind: 'compare_queue' }, by: by('ann'), patienceMs: -1 });
  expect(await take('one')).toEqual([]);
  const id = await putRequest(db, { request: { kind: randomUUID() }, ...asked });
  await requests('one').runOnce();
  expect(await readAnswer(db, id)).toMatchObject({ error: { code: 'unknown_request' } });
});
