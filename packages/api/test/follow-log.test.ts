import { ManualClock, MINUTE, SECOND } from '@escapement/core';
import { appendLogs } from '@escapement/store';
import { eventually, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { followLog } from '../src/routes/runs/log-of.ts';
import { testApi } from './api.ts';

const { ask, db } = await testApi();

const write = (runId: string, seq: number, text: string) => appendLogs(db, [{ runId, attempt: 1, seq, text }]);
const end = (runId: string) =>
  db.pool.query(`UPDATE run SET state = 'failed', reason = 'no luck', finished_at = now() WHERE id = $1`, [runId]);

/** A log that is followed; a quarter of a second passes between two looks, in each of which `between` is done. */
function follow(runId: string, between: (look: number) => Promise<unknown>, renew = async () => {}) {
  const clock = new ManualClock();
  let looks = 0;
  const pause = async () => {
    clock.advance(SECOND / 4);
    await between(++looks);
  };
  const { signal } = new AbortController();
  return { clock, looks: () => looks, text: followLog(db, runId, {}, { signal, renew, clock, pause }) };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test('who follows a log is asked for the token again each minute, whether the run says something or not', async () => {
  const id = await runningRun(db, 'says-little');
  let renewed = 0;
  const renew = async () => {
    renewed++;
    if (renewed === 3) throw new Error('revoked');
  };
  // Something in the first minute, nothing later.
  const { text, looks } = follow(id, async (look) => look < 240 && look % 40 === 0 && write(id, look, 'x\n'), renew);
  await expect(textOf(text)).rejects.toThrow('revoked');
  expect([renewed, looks()]).toEqual([3, 3 * 240]);
});

test('so is who takes it slowly, before the next piece', async () => {
  const id = await runningRun(db, 'is-read-slowly');
  for (const seq of [0, 1]) await write(id, seq, `${seq}\n`);
  const { text, clock } = follow(
    id,
    async () => {},
    async () => {
      throw new Error('revoked');
    },
  );
  expect((await text.next()).value).toBe('0\n');
  clock.advance(MINUTE);
  await expect(text.next()).rejects.toThrow('revoked');
});

test('a log is followed to its end by who may', async () => {
  const id = await runningRun(db, 'ends');
  await write(id, 0, 'first\n');
  const { text } = follow(id, async (look) => {
    await write(id, look, `${look}\n`);
    if (look === 2) await end(id);
  });
  expect(await textOf(text)).toBe('first\n1\n2\n');
});

test('those who follow a log as text and as events are counted together, and more are sent away', async () => {
  const id = await runningRun(db, 'is-followed');
  const path = `/v1/runs/${id}/log`;
  const asText = { path, query: { follow: 'true' } };
  const reading = Array.from({ length: 50 }, () => [ask(asText), ask({ path: `${path}/events` })]).flat();
  await eventually(async () => {
    const { status } = await ask({ path: `${path}/events`, headers: { 'last-event-id': 'next' } });
    // Refused for its place, as long as there is room.
    expect(status).toBe(503);
  });
  const { status, headers, body } = await ask(asText);
  expect([status, headers['retry-after'], body.code]).toEqual([503, '10', 'too_many_watch']);
  // What is there so far is no more than an answer.
  expect((await ask({ path })).status).toBe(200);
  await end(id);
  expect(new Set((await Promise.all(reading)).map((answer) => answer.status))).toEqual(new Set([200]));
  expect((await ask(asText)).status).toBe(200);
});
