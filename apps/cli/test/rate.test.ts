import { randomUUID } from 'node:crypto';
import { newRunId, scheduledForOf, systemClock } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { beginRuns, findTask, triggerRun, waitRun } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

await saveTask(
  db,
  {
    name: 'mail',
    handler: { type: 'shell', command: 'true' },
    overlap: 'allow',
    rate: { limit: 1, perMs: 3_600_000, key: 'smtp' },
  },
  { source: 'test', by: by('test') },
);

async function triggered(): Promise<string> {
  const scheduledFor = systemClock.now();
  const id = newRunId(scheduledFor);
  const taskId = (await findTask(db, 'mail'))?.id ?? '';
  await triggerRun(db, {
    taskId,
    origin: 'trigger',
    key: 'mail',
    payload: undefined,
    by: by('test'),
    id,
    scheduledFor,
  });
  return id;
}

async function waiting(): Promise<string> {
  const runId = await triggered();
  const seen = { state: 'planned', dispatch: 0, attempt: 0 };
  const answer = await waitRun(db, { runId, scheduledFor: scheduledForOf(runId), seen, dispatch: 1 });
  expect(answer).toMatchObject({ kind: 'waiting', holder: null });
  return runId;
}

test('tasks, runs and keys say what a rate is, who waits for it, and when the next may start', async () => {
  const first = await triggered();
  const [begun] = await beginRuns(db, [
    {
      runId: first,
      scheduledFor: scheduledForOf(first),
      dispatch: 1,
      beginId: randomUUID(),
      key: 'mail',
      slot: null,
      worker: 'w',
      rated: true,
    },
  ]);
  if (begun?.kind !== 'begun') throw new Error(begun?.kind);
  const nextAt = new Date(begun.run.startedAt.getTime() + 3_600_000).toISOString();
  const [second, third] = [await waiting(), await waiting()];

  expect((await run('tasks', 'show', 'mail')).stdout).toMatch(
    /^rate: +at most 1 start in 1 h, counted under "smtp"; more wait their turn$/m,
  );
  const listed = (await run('runs', 'list', '--state', 'waiting')).stdout;
  expect(listed).toContain(`over the rate of 1 in 3600 s under "smtp": may start at ${nextAt}`);
  const shown = (await run('runs', 'show', second)).stdout;
  expect(shown).toMatch(/^reason: +over the rate of 1 in 3600 s under "smtp"/m);
  expect(shown).toMatch(/^may start: +about \S+, the next: the rate "smtp" is 1 start in 1 h$/m);
  expect((await run('runs', 'show', third)).stdout).toMatch(/^may start: +about \S+, after 1 other run: /m);
  const keys = (await run('keys', 'show', 'mail')).stdout;
  expect(keys).toMatch(/^ {2}smtp: 1 of 1 start in 1 h used, 2 waiting, the next may start at \S+$/m);
  const { rates } = JSON.parse((await run('keys', 'show', 'mail', '-o', 'json')).stdout);
  expect(rates).toEqual([{ rateKey: 'smtp', pool: null, limit: 1, perMs: 3_600_000, started: 1, waiting: 2, nextAt }]);
});

test('a pool says what its rate is', async () => {
  await saveTask(
    db,
    { name: 'narrow', handler: { type: 'shell', command: 'true' }, overlap: 'allow', pool: 'narrow' },
    { source: 'test', by: by('test') },
  );
  expect((await run('pools', 'set', 'narrow', '--rate', '1/1h')).code).toBe(0);
  expect((await run('pools', 'show', 'narrow')).stdout).toMatch(
    /^rate: +0 of 1 start in 1 h used, 0 waiting, the next may start now$/m,
  );
  const { stdout } = await run('pools', 'show', 'narrow', '-o', 'json');
  expect(JSON.parse(stdout).rate).toMatchObject({ pool: 'narrow', limit: 1, perMs: 3_600_000, nextAt: null });
  expect(await run('pools', 'set', 'narrow', '--rate', '1/50d')).toMatchObject({ code: 2 });
  expect(await run('pools', 'set', 'narrow', '--rate', 'fast')).toMatchObject({ code: 2 });
  await run('pools', 'set', 'narrow', '--rate', 'none');
  expect((await run('pools', 'show', 'narrow')).stdout).toMatch(/^rate: +none: as many as can start$/m);
});
