import { SECOND } from '@escapement/core';
import { createMonitor } from '@escapement/operations';
import { by, type NodeProcess } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { alertStage } from './alerts/stage.ts';

// Jobs of other machines ping a real API, and one of them dies.

const stage = await alertStage();
const { db, rules, receives, notified, start } = stage;
await rules([
  { name: 'missed', when: { kind: 'monitor-missed' } },
  { name: 'failed', when: { kind: 'monitor-failed' } },
  { name: 'slow', when: { kind: 'monitor-slow' } },
  { name: 'api-away', when: { kind: 'api-away', overMs: 5 * SECOND } },
]);
await start('scheduler');
let api = await start('api');

async function aJob(name: string, given: { everyMs: number; graceMs: number; maxRunMs?: number }) {
  const { everyMs: delayMs, ...others } = given;
  const { pingId } = await createMonitor(
    db,
    name,
    { schedule: { kind: 'fixed-delay', delayMs }, ...others },
    by('test'),
  );
  return async (word = '') => {
    const answer = await fetch(new URL(`/ping/${pingId}${word}`, await urlOf(api)));
    expect(answer.status).toBe(200);
  };
}

async function urlOf(program: NodeProcess): Promise<string> {
  const { url } = JSON.parse(await program.waitForLine('the API listens'));
  return url;
}

it('one that pings no more, fails, or does not end is told, and its next ping ends that', async () => {
  const silent = await aJob('silent', { everyMs: 2 * SECOND, graceMs: 1 * SECOND });
  await receives('missed', 'firing', 3 * SECOND);
  expect(notified('missed', 'firing')).toMatchObject([{ labels: { monitor: 'silent' } }]);
  await silent();
  await receives('missed', 'resolved');
  const others = { everyMs: 3600 * SECOND, graceMs: 1 * SECOND };
  const fails = await aJob('fails', others);
  await fails('/7');
  expect((await receives('failed', 'firing')).summary).toBe('fails failed with exit status 7');
  await fails();
  await receives('failed', 'resolved');
  const slow = await aJob('slow', { ...others, maxRunMs: 2 * SECOND });
  await slow('/start');
  await receives('slow', 'firing', 2 * SECOND);
  await slow('/0');
  await receives('slow', 'resolved');
  await db.pool.query('DELETE FROM monitor_ping; DELETE FROM monitor');
});

it('while no API is there that is told, and nothing is missed; then the job has its grace once more', async () => {
  stage.received.length = 0;
  const retries = await aJob('retries', { everyMs: 10 * SECOND, graceMs: 10 * SECOND });
  await aJob('is-silent', { everyMs: 10 * SECOND, graceMs: 10 * SECOND });
  await api.kill();
  await receives('api-away', 'firing', 5 * SECOND);
  // As if the API had been away for 32 s more, in which both were due.
  await db.pool.query(`UPDATE alert_watch SET heard_at = heard_at - interval '32 s'`);
  await db.pool.query(
    `UPDATE monitor SET due_at = due_at - interval '32 s', trouble_at = trouble_at - interval '32 s', last_ping_at = last_ping_at - interval '32 s'`,
  );
  api = await start('api');
  await receives('api-away', 'resolved');
  expect(notified('missed', 'firing')).toEqual([]);
  await retries();
  const missed = await receives('missed', 'firing', 10 * SECOND);
  expect(missed).toMatchObject({ labels: { monitor: 'is-silent' } });
  expect(missed.why.join('\n')).toContain('no API took pings from ');
});
