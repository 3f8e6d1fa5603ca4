import { HOUR, MINUTE, newRunId, systemClock, type TaskInput } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const NOW = systemClock.now();
/** The last full hour. */
const LAST = Math.floor(NOW.getTime() / HOUR) * HOUR;

async function save(name: string, given: Partial<TaskInput> = {}): Promise<void> {
  const schedule = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' } as const;
  const handler = { type: 'shell', command: 'true' } as const;
  await saveTask(db, { name, handler, schedule, ...given }, { source: 'test', by: by('test') });
}

/** Runs of the last hours, the latest last. */
async function ran(name: string, key: string, tookMs: readonly number[]): Promise<void> {
  for (const [index, ms] of tookMs.entries()) {
    const at = new Date(LAST - (tookMs.length - index) * HOUR);
    await db.pool.query(
      `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at,
         attempt, worker, fence, started_at, finished_at, watched)
       SELECT $1, $2, $3, id, 1, 1, 'schedule', 'succeeded', $4, 1, 'skip', 'default', $2, 1, 'w', 1, $2, $5, false FROM task WHERE name = $6`,
      [newRunId(at), at.toISOString(), db.namespace, key, new Date(at.getTime() + ms).toISOString(), name],
    );
  }
}

await save('report');
await ran(
  'report',
  'report',
  [10, 25, 25, 10].map((minutes) => minutes * MINUTE),
);
await save('load', { key: 'database' });
await ran('load', 'database', [5 * MINUTE, 5 * MINUTE]);
await save('dump', { key: 'database', schedule: { kind: 'manual' } });
await ran('dump', 'database', [90 * MINUTE, 5 * MINUTE]);
await save('never');
// Those that are not a moment old.
await db.pool.query("UPDATE task SET created_at = now() - interval '1 day' WHERE name IN ('report', 'load', 'dump')");
await save('young');
await ran('young', 'young', [MINUTE, MINUTE]);

const whatIf = (...args: string[]) => runCli(['what-if', ...args, '--over', '5h'], { env });
const found = async (...args: string[]) => JSON.parse((await whatIf(...args, '-o', 'json')).stdout);

test('another schedule is played through with the durations that were recorded', async () => {
  const { now, then, recorded } = await found('report', '--schedule', '0,20,40 * * * *');
  expect(recorded).toBe(4);
  // Each run of 25 minutes is met by the one that comes after 20.
  expect(now).toMatchObject({ due: 5, started: 5, skipped: 0, firstAt: null });
  expect(then.due).toBe(15);
  expect(then.started + then.skipped).toBe(15);
  expect(then.skipped).toBeGreaterThanOrEqual(2);
  const { stdout, stderr } = await whatIf('report', '--schedule', '0,20,40 * * * *');
  expect(stdout).toMatch(/^ +NOW +THEN\ndue +5 +15\n/);
  expect(stderr).toContain('with the durations of 4 runs, beside the other runs of its key; pauses are not in it\n');
});

test('another policy, or limit, beside the other runs of the key', async () => {
  const { now, then } = await found('load', '--overlap', 'wait-all');
  expect(now.skipped).toBeGreaterThan(0);
  expect(then).toMatchObject({ skipped: 0, longestWaitMs: 90 * MINUTE });
  expect((await found('load', '--limit', '3')).then.skipped).toBe(0);
});

test('a task is replayed from when it was made, or first ran, and not from before', async () => {
  const { from, now } = await found('young', '--schedule', '0,20,40 * * * *');
  expect(new Date(from)).toEqual(new Date(LAST - 2 * HOUR));
  expect(now.due).toBe(3);
});

test.each([
  [['report'], 'nothing that would be another way'],
  [['report', '--schedule', '61 * * * *'], '61'],
  [['nobody', '--limit', '2'], 'there is no task "nobody"'],
  [['never', '--limit', '2'], 'no run of never that was due since'],
  [['report', '--overlap', 'sometimes'], 'Allowed choices are'],
])('%j is refused', async (args, words) => {
  const { code, stderr } = await whatIf(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});
