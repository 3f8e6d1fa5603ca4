import { newRunId, RUN_STATES, type RunState, systemClock } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { appendLogs, findTask } from '@escapement/store';
import { by, finishedRun, runningRun } from '@escapement/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, db, errors } = await testApi();
await saveTask(db, { name: 'ledger', handler: { type: 'shell', command: 'true' } }, { source: 'test', by: by('root') });
const task = await findTask(db, 'ledger');
const ENDED = ['succeeded', 'failed', 'skipped', 'missed', 'cancelled'] as const satisfies readonly RunState[];
const COUNT = 300;
const start = systemClock.now().getTime() - 3_600_000;
// Several of the same millisecond, as bursts have it.
const rows = Array.from({ length: COUNT }, (_, index) => {
  const at = new Date(start + Math.floor(index / 7) * 1000);
  return { id: newRunId(at), at, state: ENDED[index % ENDED.length] ?? 'failed' };
});
await db.pool.query(
  `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at, finished_at)
   SELECT i.id, i.at, 'default', $1, 1, 0, 'trigger', i.state, 'a reason', 'ledger', 1, 'skip', 'default', i.at, i.at
   FROM unnest($2::uuid[], $3::timestamptz[], $4::text[]) AS i(id, at, state)`,
  [task?.id, rows.map(({ id }) => id), rows.map(({ at }) => at.toISOString()), rows.map(({ state }) => state)],
);

async function allPages(query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await ask({
      path: '/v1/runs',
      query: { query, limit: String(limit), ...(after === '' ? {} : { after }) },
    });
    ids.push(...body.items.map((run: { id: string }) => run.id));
    after = body.next;
  }
  return ids;
}

const sorted = (of: typeof rows) =>
  of
    .map(({ id }) => id)
    .toSorted()
    .reverse();

test('all pages together are the list, each run once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 400 }),
      fc.subarray([...ENDED]),
      fc.option(fc.integer({ min: 0, max: 45 }), { nil: undefined }),
      async (limit, states, since) => {
        const from = since === undefined ? undefined : new Date(start + since * 1000);
        const query = [
          'task:ledger',
          ...(states.length > 0 ? [`state:${states.join(',')}`] : []),
          ...(from ? [`since:${from.toISOString()}`] : []),
        ].join(' ');
        const wanted = rows.filter(
          ({ state, at }) => (states.length === 0 || states.some((each) => each === state)) && (!from || at >= from),
        );
        expect(await allPages(query, limit)).toEqual(sorted(wanted));
      },
    ),
    { numRuns: 25 },
  );
});

test('runs are counted by state', async () => {
  const { body } = await ask({ path: '/v1/runs/counts', query: { query: 'task:ledger' } });
  const expected = RUN_STATES.flatMap((state) => {
    const count = rows.filter((row) => row.state === state).length;
    return count > 0 ? [[state, { count, exact: true }]] : [];
  });
  expect(body.states).toEqual(Object.fromEntries(expected));
});

test('a query that cannot be read is refused with its place', async () => {
  const { status, body } = await ask({ path: '/v1/runs', query: { query: 'task:a stat:failed' } });
  expect([status, body.code, body.at, body.fix]).toEqual([
    400,
    'bad_query',
    { start: 7, end: 11 },
    'did you mean state?',
  ]);
});

test('the log of a run: all of it, its end, of one attempt, and as it grows', async () => {
  const id = await runningRun(db, 'talks');
  const write = (attempt: number, seq: number, text: string) => appendLogs(db, [{ runId: id, attempt, seq, text }]);
  await write(1, 0, 'first\n');
  await write(1, 1, 'second\n');
  await write(2, 0, 'again\n');
  const log = async (query: Record<string, string> = {}) => (await ask({ path: `/v1/runs/${id}/log`, query })).text;
  expect(await log()).toBe('first\nsecond\nagain\n');
  expect(await log({ tail: '9' })).toBe('nd\nagain\n');
  expect(await log({ attempt: '1' })).toBe('first\nsecond\n');
  expect(await log({ attempt: '2', tail: '3' })).toBe('in\n');
  const file = await ask({ path: `/v1/runs/${id}/log`, query: { download: 'true' } });
  expect(file.headers['content-disposition']).toBe(`attachment; filename="run-${id}.log"`);
  const following = log({ follow: 'true' });
  await write(2, 1, 'last\n');
  await db.pool.query(`UPDATE run SET state = 'cancelled', reason = 'x', finished_at = now() WHERE id = $1`, [id]);
  expect(await following).toBe('first\nsecond\nagain\nlast\n');
});

test('what is over cannot be cancelled, what goes on cannot be retried', async () => {
  const ended = await finishedRun(db, 'over');
  const again = await ask({ method: 'POST', path: `/v1/runs/${ended}/cancel` });
  expect([again.status, again.body.code]).toEqual([409, 'run_ended']);
  const open = await runningRun(db, 'open');
  const retried = await ask({ method: 'POST', path: `/v1/runs/${open}/rerun` });
  expect([retried.status, retried.body.code]).toEqual([409, 'run_open']);
  expect((await ask({ path: '/v1/runs/00000000-0000-7000-8000-000000000000' })).status).toBe(404);
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
