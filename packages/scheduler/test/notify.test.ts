import { triggerTask } from '@escapement/operations';
import type { Notice, NoticeChannel, NoticeResult } from '@escapement/service';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createNotifier } from '../src/index.ts';

const fleet = await testFleet();
await fleet.startWorker(async ({ log }) => {
  log.write('about to fail\n');
  throw new Error('no disk left');
});

async function fail(name: string): Promise<string> {
  const finished = fleet.event('run_finished', (event) => event.task === name);
  const id = await triggerTask(fleet.db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  await finished;
  await makeDue(id);
  return id;
}

/** Columns keep milliseconds, so that `now()` may be rounded to an instant that is still to come. */
async function makeDue(run: string): Promise<void> {
  await fleet.db.pool.query("UPDATE notice SET try_at = now() - interval '1 s' WHERE run_id = $1", [run]);
}

/** A notifier whose sends end as told, in turn; success once nothing is told. */
function notifier(results: NoticeResult[] = []) {
  const sent: { notice: Notice; channel: NoticeChannel }[] = [];
  const loop = createNotifier({
    db: fleet.as.scheduler,
    emit: () => undefined,
    onError: () => undefined,
    defaults: { email: ['fleet@example.com'], webhook: [] },
    sender: {
      async send(notice, channel) {
        sent.push({ notice, channel });
        return results.shift() ?? { status: 'sent', detail: 'ok' };
      },
    },
  });
  return { sent, loop };
}

const outbox = async (run: string) =>
  (await fleet.db.pool.query('SELECT state, tries, error, delivered, given_up FROM notice WHERE run_id = $1', [run]))
    .rows;

it("tells the task's own people of a final failure, with the end of its log", async () => {
  await fleet.save({
    name: 'own-people',
    notify: { email: ['ann@example.com'], webhook: ['https://example.com/hook/secret'] },
  });
  const run = await fail('own-people');
  const { sent, loop } = notifier();
  await loop.runOnce();
  expect(sent.map(({ channel }) => channel)).toEqual([
    { kind: 'email', to: 'ann@example.com' },
    { kind: 'webhook', url: 'https://example.com/hook/secret' },
  ]);
  expect(sent[0]?.notice).toMatchObject({
    runId: run,
    state: 'failed',
    reason: 'no disk left',
    logTail: 'about to fail\n',
  });
  const [row] = await outbox(run);
  expect(row).toMatchObject({ state: 'sent', tries: 1, error: null });
  expect(JSON.stringify(row)).not.toContain('secret');
});

it('says that the failure has paused the task', async () => {
  await fleet.save({ name: 'paused-by-it', schedule: { kind: 'every', everyMs: 3_600_000 }, pauseAfterFailures: 1 });
  const finished = fleet.event('run_finished', (event) => event.task === 'paused-by-it');
  const id = await triggerTask(fleet.db, 'paused-by-it', { by: by('test') });
  await fleet.db.pool.query(`UPDATE run SET origin = 'catch_up' WHERE id = $1`, [id]);
  await fleet.dispatcher.runOnce();
  await finished;
  await makeDue(id);
  const { sent, loop } = notifier();
  await loop.runOnce();
  expect(sent[0]?.notice).toMatchObject({ runId: id, pausedTask: `run ${id} failed` });
});

it("tells the fleet's people of a task that names nobody, and nobody where the task wants silence", async () => {
  await fleet.save({ name: 'nobodys' });
  await fleet.save({ name: 'silent', notify: { none: true } });
  const [nobodys, silent] = [await fail('nobodys'), await fail('silent')];
  const { sent, loop } = notifier();
  await loop.runOnce();
  expect(sent.map(({ notice, channel }) => [notice.runId, channel])).toEqual([
    [nobodys, { kind: 'email', to: 'fleet@example.com' }],
  ]);
  expect(await outbox(silent)).toMatchObject([{ state: 'dropped' }]);
});

it('tries again what failed for now, only with those who have not got it, and gives up what never will', async () => {
  await fleet.save({ name: 'flaky-mail', notify: { email: ['a@example.com', 'b@example.com', 'c@example.com'] } });
  const run = await fail('flaky-mail');
  const { sent, loop } = notifier([
    { status: 'sent', detail: 'ok' },
    { status: 'failed', permanent: false, error: 'mailbox busy' },
    { status: 'failed', permanent: true, error: 'no such user' },
  ]);
  await loop.runOnce();
  expect(await outbox(run)).toMatchObject([
    { state: 'pending', tries: 1, delivered: ['a@example.com'], given_up: ['c@example.com'] },
  ]);
  await makeDue(run);
  await loop.runOnce();
  expect(sent.slice(3).map(({ channel }) => channel)).toEqual([{ kind: 'email', to: 'b@example.com' }]);
  expect(await outbox(run)).toMatchObject([{ state: 'sent', tries: 2 }]);
});
