import { saveTask, triggerTask } from '@escapement/operations';
import { connectRedis, createQueueContents } from '@escapement/queue';
import { noteMarker, noteQueueBlocks, writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { Queue } from 'bullmq';
import { expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const poolsOf = async () => JSON.parse((await run('pools', 'list', '-o', 'json')).stdout);

const task = { name: 'dump', handler: { type: 'shell', command: 'true' }, pool: 'db1' } as const;
await saveTask(db, task, { source: 'test', by: by('test') });
const worker = { id: 'w1', role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: ['db1'] } as const;
const able = { ...worker, id: 'w2', offers: ['shell'] };
const lives = () => writeHeartbeat(db, worker, { activeRuns: [], clockOffsetMs: 0 });

test('pools are listed with their workers, tasks and runs, though nobody wrote them down', async () => {
  await lives();
  await triggerTask(db, 'dump', { by: by('test') });
  expect(await poolsOf()).toMatchObject([
    { name: 'db1', workers: ['w1'], tasks: 1, waiting: 1, running: 0, pause: null },
  ]);
  expect((await run('pools', 'list')).stdout).toMatch(/^db1 +1 +1 +1 +0 +active$/m);
  const shown = (await run('pools', 'show', 'db1')).stdout;
  expect(shown).toMatch(/^workers: +1: w1$/m);
  expect(shown).toMatch(/^the shell +0 +1 +1 +0$/m);
});

test('what no living worker can take is told wherever a run or task of the pool is shown, and by doctor', async () => {
  await lives();
  const id = await triggerTask(db, 'dump', { by: by('test') });
  const reason = 'w1, the one worker of the pool "db1", may not use the shell';
  const advice = 'start a worker with ESCAPEMENT_POOLS=db1 and ESCAPEMENT_ALLOW_SHELL=true';
  expect((await run('tasks', 'show', 'dump')).stdout).toContain(
    `pool:         db1; its runs wait: ${reason}; ${advice}\n`,
  );
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toContain(`not begun:     ${reason}\nwhat helps:    ${advice}\n`);
  expect((await run('doctor')).stdout).toContain(`${reason}: 1 task waits (dump); ${advice}`);
  await writeHeartbeat(db, able, { activeRuns: [], clockOffsetMs: 0 });
  expect((await run('tasks', 'show', 'dump')).stdout).toMatch(/^pool: +db1$/m);
  expect((await run('doctor')).stdout).not.toContain('may not use the shell');
});

test('a pause is told wherever a run or task of the pool is shown, and by doctor', async () => {
  const id = await triggerTask(db, 'dump', { by: by('test') });
  const paused = await run('pools', 'pause', 'db1', '--until', '2h', '--reason', 'new disks');
  expect(paused.stdout).toMatch(/^the pool "db1" is paused until \S+Z$/m);
  const words = /paused since \S+ until \S+, by \S+: new disks/;
  expect((await run('pools', 'list')).stdout).toMatch(words);
  expect((await run('pools', 'show', 'db1')).stdout).toMatch(words);
  expect((await run('tasks', 'show', 'dump')).stdout).toMatch(
    new RegExp(`^pool: +db1, ${words.source}; its runs wait$`, 'm'),
  );
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toMatch(/^not begun: +the pool "db1" is paused: new disks$/m);
  expect(shown).toMatch(/^what helps: +`escapement pools resume` ends the pause$/m);
  expect((await run('doctor')).stdout).toMatch(
    new RegExp(`^WARN +Pools +the pool "db1" is ${words.source}; 3 runs`, 'm'),
  );
  expect((await run('pools', 'resume', 'db1')).stdout).toBe('the pool "db1" is active again\n');
  expect((await run('pools', 'resume', 'db1')).stdout).toBe('the pool "db1" was not paused\n');
  expect((await run('doctor')).stdout).not.toContain('Pools');
});

test('doctor says when fewer workers live than people expect', async () => {
  await lives();
  expect((await run('pools', 'set', 'db1', '--expected-workers', '3')).code).toBe(0);
  expect((await run('pools', 'list')).stdout).toMatch(/^db1 +2\/3 /m);
  expect((await run('doctor')).stdout).toMatch(
    /^BAD +Workers +the pool "db1" has 2 of 3 expected workers alive; start more/m,
  );
  await run('pools', 'set', 'db1', '--expected-workers', 'none');
  expect((await run('doctor')).stdout).not.toContain('expected');
});

test('what is not known or not possible is refused, with what is', async () => {
  expect(await run('pools', 'pause', 'db')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean db1?'),
  });
  expect(await run('pools', 'set', 'db1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('give --expected-workers'),
  });
  expect(await run('pools', 'set', 'No Pool', '--priorities', 'off')).toMatchObject({ code: 2 });
  expect(await run('pools', 'pause', 'db1', '--until', '2001-01-01')).toMatchObject({ code: 2 });
});

test('what another program has done to the queues of a pool is told, and taken away by resume', async () => {
  await lives();
  answerRequests(db, env.REDIS_URL ?? '');
  const redis = connectRedis({ url: env.REDIS_URL ?? '', namespace: 'default' });
  const contents = createQueueContents(redis);
  const { hostname, port, pathname } = new URL(env.REDIS_URL ?? '');
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  const queue = new Queue('db1+shell', { prefix: 'esc:{default:db1+shell}', connection });
  await queue.pause();
  const found = await contents.lookForBlocks(['db1', 'db1+shell']);
  expect(found).toMatchObject([{ queue: 'db1+shell', kind: 'paused' }]);
  await noteMarker(db, { found: null, server: 's', marker: 'm' });
  await noteQueueBlocks(db, found);
  const doctor = await run('doctor');
  expect(doctor.stdout).toMatch(/^BAD +Queues +the queue "db1\+shell" was paused in Redis/m);
  expect(doctor.stdout).toContain('`escapement pools resume db1` takes it away');
  expect((await run('doctor', '--queue')).stderr).toContain('the queue "db1+shell" was paused in Redis');
  expect((await run('pools', 'resume', 'db1')).stdout).toContain('is active again');
  expect(await queue.isPaused()).toBe(false);
  expect(await contents.lookForBlocks(['db1', 'db1+shell'])).toEqual([]);
  await Promise.all([queue.close(), redis.close()]);
});
