import { triggerTask } from '@escapement/operations';
import { findTask, openDatabase } from '@escapement/store';
import { built, by, eventually, type NodeProcess, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { main, PATIENCE_MS, START_MS } from './fleet.ts';

const SEVERAL = Array.from({ length: 8 });

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_APP: 'shop',
};

function spawnWorker(version: 'one' | 'two' | 'twice'): NodeProcess {
  const tasks = built(new URL(`./versions/${version}`, import.meta.url));
  return spawnNode(main('worker'), { env: { ...env, ESCAPEMENT_TASKS: tasks, ESCAPEMENT_RELEASE: version } });
}

async function startWorker(version: 'one' | 'two'): Promise<NodeProcess> {
  const worker = spawnWorker(version);
  await worker.waitForLine('worker is running', START_MS);
  return worker;
}

async function seen(name: string) {
  const task = await findTask(db, name);
  const schedule = task?.definition.schedule;
  return {
    version: task?.version,
    minutes: schedule?.kind === 'every' ? schedule.everyMs / 60_000 : null,
    pauses: task?.pauses.map(({ note }) => note),
  };
}

/** Triggers it several times, side by side; the states and outputs once all have ended. */
async function results(name: string): Promise<string[]> {
  const ids = await Promise.all(SEVERAL.map(() => triggerTask(db, name, { by: by('test') })));
  return await eventually(async () => {
    const { rows } = await db.pool.query<{ result: string }>(
      `SELECT state || ': ' || coalesce(output #>> '{}', reason) AS result FROM run
       WHERE id = ANY($1::uuid[]) AND finished_at IS NOT NULL`,
      [ids],
    );
    expect(rows.length).toBe(ids.length);
    return [...new Set(rows.map(({ result }) => result))].toSorted();
  }, PATIENCE_MS);
}

/** Of all runs so far: whether some were passed on, and how often the unluckiest of them was begun. */
async function passed(): Promise<{ passedOn: boolean; attempts: number; lost: number }> {
  const { rows } = await db.pool.query(
    `SELECT bool_or(dispatch > 1) AS "passedOn", max(attempt) AS attempts, (SELECT count(*)::integer FROM attempt) AS lost FROM run
     WHERE origin = 'trigger'`,
  );
  return rows[0];
}

/** As if workers that shut down had done so a while ago. */
async function minutesPass(): Promise<void> {
  await db.pool.query(`UPDATE process SET stopped_at = stopped_at - interval '2 min', heartbeat_at = heartbeat_at - interval '2 min'
    WHERE stopped_at IS NOT NULL`);
}

test('two deployed versions at once: neither undoes the definitions of the other, nor fails its runs', async () => {
  const scheduler = spawnNode(main('scheduler'), { env });
  await scheduler.waitForLine('scheduler is running', START_MS);
  const old = await startWorker('one');
  expect(await seen('changed')).toMatchObject({ version: 1, minutes: 60 });

  const newer = await startWorker('two');
  expect(await seen('changed')).toMatchObject({ version: 2, minutes: 30 });
  expect(await seen('gone')).toMatchObject({ version: 1, pauses: [] });
  expect(await results('gone')).toEqual(['succeeded: version one']);
  for (let round = 0; round < 50 && !(await passed()).passedOn; round++)
    expect(await results('fresh')).toEqual(['succeeded: version two']);
  // A run that comes to the wrong release first is none the worse for it.
  expect(await passed()).toEqual({ passedOn: true, attempts: 1, lost: 0 });

  await Promise.all([old.kill(), newer.kill()]);
  const [oldAgain, newerAgain] = await Promise.all([startWorker('one'), startWorker('two')]);
  await oldAgain.terminate();
  const third = await startWorker('one');
  expect(await seen('changed')).toMatchObject({ version: 2, minutes: 30 });
  expect(await seen('kept')).toMatchObject({ version: 1 });
  expect((await third.waitForLine('leaves the task as it is', START_MS)).includes('release two')).toBe(true);

  await third.terminate();
  await minutesPass();
  await db.pool.query(`DELETE FROM process WHERE heartbeat_at < now() - interval '1 min' OR pid IN ($1, $2)`, [
    old.pid,
    newer.pid,
  ]);
  await newerAgain.waitForLine('tasks that have left the code are paused', START_MS);
  expect(await seen('gone')).toMatchObject({
    version: 1,
    pauses: [expect.stringMatching(/^left the code: release two of shop has it no more, says worker-/)],
  });

  await startWorker('one');
  expect(await seen('gone')).toMatchObject({ version: 1, pauses: [] });
  expect(await seen('changed')).toMatchObject({ version: 2, minutes: 30 });
}, 180_000);

test('a worker two of whose modules have a task of the same name refuses to start, and names both', async () => {
  const worker = spawnWorker('twice');
  const line = await worker.waitForLine('duplicate_task', START_MS);
  expect(line).toMatch(/task \\"report\\" of \S+weekly-report\.js is defined in \S+report\.js already/);
  expect((await worker.exited).code).toBe(1);
});
